import type { ReactNode } from 'react'
import { useLayoutEffect, useState } from 'react'
import type { Settings } from '../shared/api.ts'
import { Field, PasswordField } from '../shared/field.tsx'
import { Form, SubmitButton, useForm, type Values } from '../shared/form.tsx'
import { checkNewAccount, passwordRules } from '../shared/new-password-checks.ts'
import { PasswordHint } from '../shared/strength.tsx'
import { useI18n } from '../shared/text.tsx'
import { UserNameOf } from '../shared/user-name-of.tsx'
import { useHosted } from './context.tsx'
import { changedFields, checkExtraFields, type ExtraField, ExtraFields, userNameErrors } from './extra-fields.tsx'

const defaultOf = (field: ExtraField) => field.default

interface NewAccount {
  readonly name: string
  readonly email: string
  readonly password: string
  /** The values of configured fields that differ from the fields' defaults. */
  readonly fields: ReturnType<typeof changedFields>
}

interface NewAccountFormProps {
  readonly settings: Settings
  /** The email address if it is already known. The form then does not ask for it, and contains it only for password managers. */
  readonly email?: string
  /** The fields that the operator has configured. */
  readonly fields?: readonly ExtraField[]
  /** Makes the account and goes on. Spaces at the ends of name and address are already removed. */
  readonly create: (account: NewAccount) => Promise<void>
  readonly label: string
  readonly working: string
  readonly foot?: ReactNode
}

/** The form for a new account. The pages for sign-up, setup and invitations use it. */
export const NewAccountForm = ({ settings, email, fields = [], create, label, working, foot }: NewAccountFormProps) => {
  const { api, typed: early } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const [typed, setTyped] = useState({ name: '', email: email ?? '', password: '' })
  const accountOf = ({ name = '', password = '', ...values }: Values<string>) => ({
    ...{ name: name.trim(), email: email ?? values['email']?.trim() ?? '', password },
  })
  const form = useForm<string>({
    api,
    refused: early?.refusal(),
    fields: ['name', ...(email === undefined ? ['email'] : []), 'password', ...fields.map(({ name }) => name)],
    check: (values) => ({
      ...checkNewAccount(accountOf(values), settings, i18n),
      ...checkExtraFields(fields, values, i18n),
    }),
    submit: async (values) => {
      await create({ ...accountOf(values), fields: changedFields(fields, values, defaultOf) })
      return 'leaving'
    },
    atField: userNameErrors,
  })
  useLayoutEffect(() => {
    if (form.ref.current !== null) early?.into(form.ref.current)
  }, [form.ref, early])
  return (
    <Form state={form} working={working} foot={foot}>
      <Field
        name="name"
        label={t('field.name')}
        autoComplete="name"
        autoFocus
        error={form.errors['name']}
        onValue={(name) => setTyped({ ...typed, name })}
      />
      {email === undefined ? (
        <Field
          name="email"
          type="email"
          label={t('field.email')}
          // With this, password managers store the email address together with the password, and fill it in on the sign-in page.
          autoComplete="username"
          error={form.errors['email']}
          onValue={(value) => setTyped({ ...typed, email: value })}
        />
      ) : (
        <UserNameOf email={email} />
      )}
      <PasswordField
        name="password"
        label={t('field.password')}
        autoComplete="new-password"
        rules={passwordRules(settings)}
        sending={form.pending}
        error={form.errors['password']}
        hint={<PasswordHint password={typed.password} min={settings.passwordMinLength} personal={[typed.name, typed.email]} />}
        onValue={(password) => setTyped({ ...typed, password })}
      />
      <ExtraFields fields={fields} current={defaultOf} errors={form.errors} />
      <SubmitButton of={form}>{label}</SubmitButton>
    </Form>
  )
}
