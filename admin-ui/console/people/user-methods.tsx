import { useState } from 'react'
import { factorAdministrationContract } from '../../../src/authentication/factor-administration/contract.ts'
import { identityAdministrationContract } from '../../../src/authentication/methods/federated/linked-accounts/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { Line, Lines, QueryPanel } from '../shared/query-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { FactorDialog } from './factor-dialog.tsx'
import type { AdministeredUser } from './users.tsx'

interface OfUser {
  readonly user: AdministeredUser
}

type Factors = Answer<WireApi<typeof factorAdministrationContract>['adminListFactors']>
type Factor = Factors['factors'][number]

/** A panel with the user's password and linked accounts at identity providers. */
export const UserIdentities = ({ user }: OfUser) => {
  const { t } = useI18n()
  const { api } = useConsole()
  return (
    <QueryPanel
      title={t('people.identities')}
      permission="users:read"
      query={api.query(identityAdministrationContract, 'adminListIdentities', { params: { id: user.id } })}
    >
      {({ identities }) => (
        <Lines empty={t('people.identitiesNone')}>
          {identities.map(({ id, provider, accountId, createdAt }) => (
            <Line
              key={id}
              title={provider === 'credential' ? t('people.password') : provider}
              detail={provider === 'credential' ? t('people.passwordDetail') : accountId}
            >
              <Time at={createdAt} />
            </Line>
          ))}
        </Lines>
      )}
    </QueryPanel>
  )
}

const RemoveFactor = ({ user, factor, all }: OfUser & { readonly factor: Factor; readonly all: Factors }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [isOpen, setIsOpen] = useState(false)
  const remove = useChange(factorAdministrationContract, 'adminRemoveFactor', t('people.factorRemoved'))
  const input = { params: { id: user.id, factorId: factor.id } }
  const left = all.factors.filter(({ id, removable }) => id !== factor.id && removable).length
  const kind = t(`people.factorKind.${factor.kind}`)
  return (
    <>
      <ActionButton
        permission="users:set-password"
        blocked={factor.removable ? undefined : t('people.factorFixed')}
        onClick={() => setIsOpen(true)}
      >
        {t('people.remove')}
      </ActionButton>
      {isOpen ? (
        <Confirm
          title={t('people.removeFactor', { kind, name: user.name })}
          consequences={[t('people.factorsLeft', { count: left }), t('people.factorTold')]}
          action={t('people.remove')}
          reason="optional"
          foot={
            <ShowCall
              target={factorAdministrationContract.adminRemoveFactor}
              input={input}
              command={['remove-factor', '--user', user.email, '--factor', factor.id]}
            />
          }
          onConfirm={(reason) => remove({ ...input, reason, ifMatch: api.etagOf(all) })}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  )
}

/** A button that requires a second factor of the user, or withdraws the requirement. */
const RequireFactor = ({ user, factors }: OfUser & { readonly factors: Factors }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <p className="panel-note">
      <ActionButton permission="users:set-password" onClick={() => setIsOpen(true)}>
        {t(factors.required ? 'people.factorWaive' : 'people.factorRequire')}
      </ActionButton>
      {isOpen ? (
        <FactorDialog
          user={user}
          named={user.email}
          isRequired={!factors.required}
          ifMatch={api.etagOf(factors)}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </p>
  )
}

/** A panel with the user's second factors and passkeys, and the rule that requires a second factor. */
export const UserFactors = ({ user }: OfUser) => {
  const { t } = useI18n()
  const { api } = useConsole()
  return (
    <QueryPanel
      title={t('people.secondFactors')}
      permission="users:read"
      query={api.query(factorAdministrationContract, 'adminListFactors', { params: { id: user.id } })}
    >
      {(factors) => (
        <>
          {factors.requirement === null ? null : (
            <p className="panel-note">
              {t(`people.requiredBy.${factors.requirement.by}`)}{' '}
              {factors.requirement.dueAt === null ? null : (
                <>
                  {t('people.factorDue')}: <Time at={factors.requirement.dueAt} />
                </>
              )}
            </p>
          )}
          <RequireFactor user={user} factors={factors} />
          <Lines empty={t('people.factorsNone')}>
            {factors.factors.map((factor) => (
              <Line
                key={factor.id}
                title={
                  <>
                    {factor.name ?? t(`people.factorKind.${factor.kind}`)}{' '}
                    {factor.counts ? null : <Badge tone="warn">{t('people.factorOff')}</Badge>}
                  </>
                }
                detail={
                  factor.left === undefined ? (
                    <>
                      {t(`people.factorKind.${factor.kind}`)} · {t('people.lastUsed')}{' '}
                      {factor.lastUsedAt === null ? t('people.never') : <Time at={factor.lastUsedAt} />}
                    </>
                  ) : (
                    t('people.codesLeft', { count: factor.left })
                  )
                }
              >
                {factor.removable ? <RemoveFactor user={user} factor={factor} all={factors} /> : null}
              </Line>
            ))}
          </Lines>
        </>
      )}
    </QueryPanel>
  )
}
