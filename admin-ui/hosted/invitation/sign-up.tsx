import { use } from 'react'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'
import { userNameField } from '../extra-fields.tsx'
import { NewAccountForm } from '../new-account.tsx'
import { Providers } from '../social/providers.tsx'
import type { InvitationView } from './link.ts'

interface SignUpFormProps {
  readonly id: string
  readonly token: string
  readonly view: InvitationView
  readonly onDone: (organizationId: string) => Promise<void>
}

/**
 * A form that makes an account for the invited email address. The token in the link verifies the address, so the form asks only for the
 * name, a password and configured fields.
 */
export const SignUpForm = ({ id, token, view: { email }, onDone }: SignUpFormProps) => {
  const { api, resources, path } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const settings = use(resources.settings())
  return (
    <>
      <NewAccountForm
        settings={settings}
        email={email}
        label={t('invitation.signUp')}
        working={t('signUp.working')}
        fields={[...userNameField(settings, i18n), ...settings.userFields]}
        create={async ({ name, password, fields }) => {
          const body = { ...fields, invitationId: id, token, name, password }
          const { member } = await api.of(invitationContract).signUpInvited({ body })
          await onDone(member.organizationId)
        }}
      />
      <Providers providers={settings.socialProviders} destination={path} />
    </>
  )
}
