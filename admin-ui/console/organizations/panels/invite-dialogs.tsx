import { useState } from 'react'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import { Field } from '../../../shared/field.tsx'
import { rolesOf } from '../../../shared/organizations/panels.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useChange } from '../../shared/use-change.ts'
import type { Organization } from '../parts.tsx'
import { RoleChoice, useRoles } from '../roles.tsx'

interface OfOrganization {
  readonly organization: Organization
  readonly onClose: () => void
}

const commandOf = (slug: string, email: string, roles: readonly string[]) => [
  ...['invite-member', '--org', slug, '--email', email, '--role', roles.join(',')],
]

/** Invites a person by email address. The invitation is in the name of the organization, not of the administrator. */
export const InviteDialog = ({ organization: { id, name, slug }, onClose }: OfOrganization) => {
  const { t } = useI18n()
  const [email, setEmail] = useState('')
  const [roles, setRoles] = useState<readonly string[]>(['member'])
  const creatorRole = useRoles()?.creatorRole
  // An owner has all permissions, so choosing the owner role removes the other roles.
  const choose = (wanted: readonly string[]) => {
    const added = wanted.find((role) => !roles.includes(role))
    const isOwner = creatorRole !== undefined && added === creatorRole
    setRoles(isOwner ? [creatorRole] : added === undefined ? wanted : wanted.filter((role) => role !== creatorRole))
  }
  const address = email.trim()
  const invite = useChange(organizationAdministrationContract, 'adminInvite', t('organizations.invited', { email: address }))
  const input = { params: { id }, body: { email: address, role: roles } }
  return (
    <Confirm
      title={t('organizations.inviteTo', { name })}
      consequences={[t('organizations.inviteMail'), t('organizations.inviteName', { name })]}
      action={t('organizations.invite')}
      isDangerous={false}
      reason="optional"
      blocked={
        address === '' ? t('organizations.emailMissing') : roles.length === 0 ? t('organizations.rolesMissing') : undefined
      }
      foot={
        <ShowCall
          target={organizationAdministrationContract.adminInvite}
          input={input}
          command={commandOf(slug, address, roles)}
        />
      }
      onConfirm={(reason) => invite({ ...input, reason })}
      onClose={onClose}
    >
      <Field name="email" type="email" label={t('organizations.email')} value={email} autoComplete="off" onValue={setEmail} />
      <RoleChoice chosen={roles} onChoose={choose} />
    </Confirm>
  )
}

interface ResendProps {
  readonly organization: Pick<Organization, 'id' | 'slug'>
  readonly invitation: { readonly email: string; readonly role: string }
  readonly onClose: () => void
}

/** Sends an invitation again and gives it a new expiry. */
export const ResendDialog = ({ organization: { id, slug }, invitation: { email, role }, onClose }: ResendProps) => {
  const { t } = useI18n()
  const resend = useChange(organizationAdministrationContract, 'adminInvite', t('organizations.invited', { email }))
  const roles = rolesOf(role)
  const input = { params: { id }, body: { email, role: roles, resend: true } }
  return (
    <Confirm
      title={t('organizations.resendTo', { email })}
      consequences={[t('organizations.inviteMail'), t('organizations.resendRenews')]}
      action={t('organizations.resend')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          target={organizationAdministrationContract.adminInvite}
          input={input}
          command={[...commandOf(slug, email, roles), '--resend']}
        />
      }
      onConfirm={(reason) => resend({ ...input, reason })}
      onClose={onClose}
    />
  )
}
