import { use, useState } from 'react'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import { Field, PasswordField } from '../../shared/field.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { checkNewAccount } from '../../shared/rules.ts'
import { PasswordHint } from '../../shared/strength.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { SocialButtons } from '../social/buttons.tsx'
import type { InvitationView } from './link.ts'

const fields = ['name', 'password'] as const

interface SignUpFormProps {
  readonly id: string
  readonly token: string
  readonly view: InvitationView
  readonly onDone: (organizationId: string) => Promise<void>
}

/** An account for the invited address, which the link has verified: only name and password are missing. */
export const SignUpForm = ({ id, token, view: { email }, onDone }: SignUpFormProps) => {
  const { api, resources, path } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const settings = use(resources.settings())
  const [typed, setTyped] = useState({ name: '', password: '' })
  const form = useForm({
    api,
    fields,
    check: (values) => {
      const { email: _, ...errors } = checkNewAccount({ ...values, email }, settings, i18n)
      return errors
    },
    submit: async ({ name, password }) => {
      const { member } = await api
        .of(invitationContract)
        .signUpInvited({ body: { invitationId: id, token, name: name.trim(), password } })
      await onDone(member.organizationId)
      return 'leaving'
    },
  })
  return (
    <>
      <Form state={form} working={t('signUp.working')}>
        {/* Tells password managers whose password this is. */}
        <input className="unseen" type="email" name="username" autoComplete="username" defaultValue={email} hidden />
        <Field
          name="name"
          label={t('field.name')}
          autoComplete="name"
          autoFocus
          error={form.errors.name}
          onValue={(name) => setTyped({ ...typed, name })}
        />
        <PasswordField
          name="password"
          label={t('field.password')}
          autoComplete="new-password"
          sending={form.pending}
          error={form.errors.password}
          hint={<PasswordHint password={typed.password} min={settings.passwordMinLength} personal={[typed.name, email]} />}
          onValue={(password) => setTyped({ ...typed, password })}
        />
        <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
          {form.waitSeconds > 0 ? t('problem.tooManyWait', { count: form.waitSeconds }) : t('invitation.signUp')}
        </Button>
      </Form>
      <SocialButtons providers={settings.socialProviders} destination={path} />
    </>
  )
}
