import type { ReactNode } from 'react'
import { useLayoutEffect } from 'react'
import { checkEmail } from '../shared/checks.ts'
import { Field } from '../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../shared/form.tsx'
import { useI18n } from '../shared/text.tsx'
import { Button } from '../shared/ui.tsx'
import { useHosted } from './context.tsx'
import type { useMailing } from './mailing.ts'

interface AddressFormProps {
  readonly email: string
  readonly request: (email: string) => Promise<unknown>
  /** The progress of the proof of work that is needed before a mail is sent. */
  readonly proofText: string | undefined
  readonly submit: string
  readonly foot: ReactNode
  readonly onSent: (email: string) => void
}

/** A form for the email address to which a mail is sent. */
export const AddressForm = ({ email, request, proofText, submit, foot, onSent }: AddressFormProps) => {
  const { api, typed } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const form = useForm({
    api,
    refused: typed?.refusal(),
    fields: ['email'],
    check: (values) => checkEmail(values, i18n),
    submit: async (values) => {
      const address = values.email.trim()
      await request(address)
      onSent(address)
      return 'leaving'
    },
  })
  useLayoutEffect(() => {
    if (form.ref.current !== null) typed?.into(form.ref.current)
  }, [form.ref, typed])
  return (
    <Form state={form} working={proofText ?? t('checkEmail.working')} foot={foot}>
      <Field
        name="email"
        type="email"
        label={t('field.email')}
        autoComplete="username"
        defaultValue={email}
        autoFocus
        error={form.errors.email}
      />
      <SubmitButton of={form}>{proofText ?? submit}</SubmitButton>
    </Form>
  )
}

/** A button that sends the mail again. It can be pressed after a pause. */
export const ResendButton = ({ mailing }: { readonly mailing: ReturnType<typeof useMailing> }) => {
  const { t } = useI18n()
  return (
    <Button kind="secondary" working={mailing.pending} blocked={mailing.waitSeconds > 0} onClick={mailing.send}>
      {mailing.waitSeconds > 0 ? t('checkEmail.resendIn', { count: mailing.waitSeconds }) : t('checkEmail.resend')}
    </Button>
  )
}
