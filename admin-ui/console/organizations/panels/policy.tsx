import { useState } from 'react'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { Facts, Panel } from '../../shared/facts.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useChange } from '../../shared/use-change.ts'
import type { Organization } from '../parts.tsx'
import { FactorRule } from '../parts.tsx'

/** A panel with the organization's requirements for its members, such as two factors. */
export const PolicyPanel = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [isOpen, setIsOpen] = useState(false)
  const change = useChange(organizationAdministrationContract, 'adminPatchOrganization', t('console.form.saved'))
  const { id, slug, name, memberCount, requiresSecondFactor } = organization
  const input = { params: { id }, body: { requiresSecondFactor: !requiresSecondFactor } }
  const label = t(requiresSecondFactor ? 'organizations.factorRelease' : 'organizations.factorRequire')
  return (
    <Panel
      title={t('organizations.policy')}
      actions={
        <ActionButton permission="all-organizations:update" onClick={() => setIsOpen(true)}>
          {label}
        </ActionButton>
      }
    >
      <Facts rows={[[t('organizations.secondFactor'), <FactorRule key="rule" organization={organization} />]]} />
      {isOpen ? (
        <Confirm
          title={t(requiresSecondFactor ? 'organizations.factorReleaseOf' : 'organizations.factorRequireOf', { name })}
          consequences={
            requiresSecondFactor
              ? [t('organizations.factorReleased')]
              : [
                  t('organizations.factorMembers', { count: memberCount }),
                  t('organizations.factorSessions'),
                  t('organizations.factorYou'),
                ]
          }
          action={label}
          isDangerous={false}
          reason="optional"
          foot={
            <ShowCall
              target={organizationAdministrationContract.adminPatchOrganization}
              input={input}
              command={['update-org', '--org', slug, '--second-factor', requiresSecondFactor ? 'optional' : 'required']}
            />
          }
          onConfirm={(reason, _, isOverwriting) =>
            change({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(organization) }) })
          }
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </Panel>
  )
}
