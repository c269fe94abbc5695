import type { ReactNode } from 'react'
import { useState } from 'react'
import type { Settings } from '../shared/api.ts'
import { PasswordField } from '../shared/field.tsx'
import { Form, useForm } from '../shared/form.tsx'
import { checkNewPassword } from '../shared/rules.ts'
import { PasswordHint } from '../shared/strength.tsx'
import { useI18n } from '../shared/text.tsx'
import { Button } from '../shared/ui.tsx'
import { useHosted } from './context.tsx'

const fields = ['newPassword'] as const

interface NewPasswordProps {
  readonly settings: Settings
  /** Words of the button. */
  readonly label: string
  /** What somebody who knows the person would try as a password. */
  readonly personal: readonly string[]
  readonly submit: (newPassword: string) => Promise<void>
  readonly foot?: ReactNode
}

/** The form that sets a new password by a link from a mail. */
export const NewPasswordForm = ({ settings, label, personal, submit, foot }: NewPasswordProps) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const [typed, setTyped] = useState('')
  const form = useForm({
    api,
    fields,
    check: (values) => checkNewPassword(values, settings, i18n),
    submit: async ({ newPassword }) => {
      await submit(newPassword)
      return 'leaving'
    },
  })
  return (
    <Form state={form} working={t('common.saving')} foot={foot}>
      <PasswordField
        name="newPassword"
        label={t('field.newPassword')}
        autoComplete="new-password"
        autoFocus
        sending={form.pending}
        error={form.errors.newPassword}
        hint={<PasswordHint password={typed} min={settings.passwordMinLength} personal={personal} />}
        onValue={setTyped}
      />
      <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
        {form.waitSeconds > 0 ? t('problem.tooManyWait', { count: form.waitSeconds }) : label}
      </Button>
    </Form>
  )
}
