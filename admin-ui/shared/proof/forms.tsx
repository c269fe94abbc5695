import { useState } from 'react'
import { mailCodeContract } from '../../../src/authentication/methods/mail-codes/contract.ts'
import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import { recoveryCodeContract } from '../../../src/authentication/methods/recovery-codes/contract.ts'
import { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import type { HostedApi } from '../api.ts'
import { CodeField } from '../code-field.tsx'
import type { FormProblem } from '../error-messages.ts'
import { errorMessages } from '../error-messages.ts'
import { Field, PasswordField } from '../field.tsx'
import { Form, FormEnd, useForm } from '../form.tsx'
import { askForPasskey } from '../passkey.ts'
import { passkeyProblem } from '../passkey-problem.ts'
import { Text, useI18n } from '../text.tsx'
import { Button } from '../ui.tsx'
import { UserNameOf } from '../user-name-of.tsx'

interface ProofProps {
  /** A client whose refused calls open no further dialog. */
  readonly api: HostedApi
  readonly email: string
  readonly onCancel: () => void
  readonly onProven: () => void
}

const Actions = ({
  pending,
  wait,
  onCancel,
}: {
  readonly pending: boolean
  readonly wait: number
  readonly onCancel: () => void
}) => {
  const { t } = useI18n()
  return (
    <div className="dialog-actions">
      <Button kind="secondary" onClick={onCancel}>
        {t('common.cancel')}
      </Button>
      <Button type="submit" working={pending} blocked={wait > 0}>
        {wait > 0 ? t('problem.tooManyWait', { count: wait }) : t('proof.submit')}
      </Button>
    </div>
  )
}

const passwordFields = ['password'] as const

export const PasswordProof = ({ api, email, onCancel, onProven }: ProofProps) => {
  const { t } = useI18n()
  const form = useForm({
    api,
    fields: passwordFields,
    check: ({ password }): { readonly password?: string } => (password === '' ? { password: t('problem.passwordMissing') } : {}),
    submit: async (body) => {
      await api.of(newPasswordContract).verifyPassword({ body })
      onProven()
      return 'leaving'
    },
  })
  return (
    <Form state={form} working={t('step.working')}>
      {/* Tells password managers to which account this password belongs. */}
      <UserNameOf email={email} />
      <PasswordField
        name="password"
        label={t('field.password')}
        autoComplete="current-password"
        sending={form.pending}
        error={form.errors.password}
        autoFocus
      />
      <Actions pending={form.pending} wait={form.waitSeconds} onCancel={onCancel} />
    </Form>
  )
}

const codeFields = ['code'] as const

export const CodeProof = ({ api, onCancel, onProven }: ProofProps) => {
  const { t } = useI18n()
  const form = useForm({
    api,
    fields: codeFields,
    atField: { INVALID_CODE: 'code' },
    check: ({ code }): { readonly code?: string } => (code === '' ? { code: t('code.missing') } : {}),
    submit: async (body) => {
      await api.of(totpContract).verifyTotp({ body })
      onProven()
      return 'leaving'
    },
  })
  return (
    <Form state={form} working={t('step.working')}>
      <CodeField name="code" label={t('code.label')} hint={t('code.totp')} error={form.errors.code} />
      <Actions pending={form.pending} wait={form.waitSeconds} onCancel={onCancel} />
    </Form>
  )
}

/** Asks for a code from a mail. The mail is sent when the person presses the button. */
export const MailCodeProof = ({ api, email, onCancel, onProven }: ProofProps) => {
  const i18n = useI18n()
  const { t } = i18n
  const [isSent, setSent] = useState(false)
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<FormProblem>()
  const send = async () => {
    setPending(true)
    setProblem(undefined)
    try {
      await api.of(mailCodeContract).sendOtp({ body: {} })
      setSent(true)
    } catch (error) {
      setProblem(errorMessages(error, [], api.retryAfterSeconds(), i18n).form)
    }
    setPending(false)
  }
  const form = useForm({
    api,
    fields: codeFields,
    atField: { INVALID_CODE: 'code', OTP_HAS_EXPIRED: 'code', TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'code' },
    check: ({ code }): { readonly code?: string } => (code === '' ? { code: t('code.missing') } : {}),
    submit: async (body) => {
      await api.of(mailCodeContract).verifyOtp({ body })
      onProven()
      return 'leaving'
    },
  })
  const address = <strong className="break">{email}</strong>
  if (isSent)
    return (
      <Form state={form} working={t('step.working')}>
        <p>
          <Text id="code.mailSent" values={{ email: address }} />
        </p>
        <CodeField name="code" label={t('code.label')} hint={t('checkEmail.hint')} error={form.errors.code} />
        <Actions pending={form.pending} wait={form.waitSeconds} onCancel={onCancel} />
      </Form>
    )
  return (
    <div className="form">
      <p>
        <Text id="code.mailAsk" values={{ email: address }} />
      </p>
      <div className="dialog-actions">
        <Button kind="secondary" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button icon="mail" working={pending} onClick={() => void send()}>
          {t('code.send')}
        </Button>
      </div>
      <FormEnd problem={problem} pending={pending} />
    </div>
  )
}

export const RecoveryCodeProof = ({ api, onCancel, onProven }: ProofProps) => {
  const { t } = useI18n()
  const form = useForm({
    api,
    fields: codeFields,
    atField: { INVALID_BACKUP_CODE: 'code' },
    check: ({ code }): { readonly code?: string } => (code.trim() === '' ? { code: t('code.recoveryMissing') } : {}),
    submit: async ({ code }) => {
      await api.of(recoveryCodeContract).verifyBackupCode({ body: { code: code.trim() } })
      onProven()
      return 'leaving'
    },
  })
  return (
    <Form state={form} working={t('step.working')}>
      <Field name="code" label={t('method.recoveryCode')} autoComplete="off" error={form.errors.code} autoFocus />
      <Actions pending={form.pending} wait={form.waitSeconds} onCancel={onCancel} />
    </Form>
  )
}

export const PasskeyProof = ({ api, onCancel, onProven }: ProofProps) => {
  const i18n = useI18n()
  const { t } = i18n
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<FormProblem>()
  const prove = async () => {
    setPending(true)
    setProblem(undefined)
    try {
      const calls = api.of(passkeyContract)
      const { clientExtensionResults: _, ...response } = await askForPasskey(await calls.generateAuthenticateOptions())
      await calls.verifyAuthentication({ body: { response } })
      onProven()
    } catch (error) {
      setProblem(passkeyProblem(error, api.retryAfterSeconds(), i18n))
      setPending(false)
    }
  }
  return (
    <div className="form">
      <div className="dialog-actions">
        <Button kind="secondary" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button icon="key" working={pending} onClick={() => void prove()}>
          {t('passkey.use')}
        </Button>
      </div>
      <FormEnd problem={problem} pending={pending} />
    </div>
  )
}
