import type { ReactNode } from 'react'
import { use, useState } from 'react'
import { ApiError } from '../../src/http/client.ts'
import type { Settings } from '../shared/api.ts'
import { PasswordField } from '../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../shared/form.tsx'
import { checkNewPassword, passwordRules } from '../shared/new-password-checks.ts'
import { PasswordHint } from '../shared/strength.tsx'
import { useI18n } from '../shared/text.tsx'
import { UserNameOf } from '../shared/user-name-of.tsx'
import { useHosted, useTitle } from './context.tsx'
import { Card, Heading } from './shell.tsx'

const fields = ['newPassword'] as const

interface NewPasswordProps {
  readonly settings: Settings
  /** Label of the button. */
  readonly label: string
  /** The email address of the account, for password managers. Undefined if it is not known. */
  readonly email?: string | undefined
  /** Words about the person, such as the name. A password should not contain them, because attackers would try them. */
  readonly personal: readonly string[]
  readonly submit: (newPassword: string, data: FormData) => Promise<void>
  /** Fields that are shown above the password field. */
  readonly question?: ReactNode
  readonly foot?: ReactNode
}

/** The form that sets a new password. Mailed links lead to it. */
export const NewPasswordForm = ({ settings, label, email, personal, submit, question, foot }: NewPasswordProps) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const [typed, setTyped] = useState('')
  const form = useForm({
    api,
    fields,
    check: (values) => checkNewPassword(values, settings, i18n),
    submit: async ({ newPassword }, data) => {
      await submit(newPassword, data)
      return 'leaving'
    },
  })
  return (
    <Form state={form} working={t('common.saving')} foot={foot}>
      {email === undefined ? null : <UserNameOf email={email} />}
      {question}
      <PasswordField
        name="newPassword"
        label={t('field.newPassword')}
        autoComplete="new-password"
        rules={passwordRules(settings)}
        autoFocus={question === undefined}
        sending={form.pending}
        error={form.errors.newPassword}
        hint={<PasswordHint password={typed} min={settings.passwordMinLength} personal={personal} />}
        onValue={setTyped}
      />
      <SubmitButton of={form}>{label}</SubmitButton>
    </Form>
  )
}

interface NewPasswordByLinkProps {
  readonly title: string
  readonly lead: ReactNode
  readonly label: string
  readonly email?: string | undefined
  readonly personal: readonly string[]
  /** Sends the new password together with the token of the link. */
  readonly send: (newPassword: string, data: FormData) => Promise<unknown>
  readonly question?: ReactNode
  readonly onEnd: (end: 'done' | 'invalid') => void
}

/** The page of a link that sets a new password. If the link has become invalid meanwhile, the page says so. */
export const NewPasswordByLink = (props: NewPasswordByLinkProps) => {
  const { title, lead, label, email, personal, send, question, onEnd } = props
  const { resources } = useHosted()
  const settings = use(resources.settings())
  useTitle(title)
  const submit = async (newPassword: string, data: FormData) => {
    try {
      await send(newPassword, data)
      history.replaceState(null, '')
      onEnd('done')
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'INVALID_TOKEN') throw error
      onEnd('invalid')
    }
  }
  return (
    <Card>
      <Heading title={title}>{lead}</Heading>
      <NewPasswordForm {...{ settings, label, email, personal, submit, question }} />
    </Card>
  )
}
