import { CodeField } from '../../shared/code-field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'
import { CopyButton } from './copy-button.tsx'
import { Qr } from './qr.tsx'

const fields = ['code'] as const

/** Splits the secret into groups of four letters, which are easier to type. */
const grouped = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? secret

interface EnrolTotpProps {
  /** The server's `otpauth:` URI, which contains the secret. */
  readonly uri: string
  /** Sends the first code to the server, and goes on to the next step. Throws `ApiError` if the server refuses the code. */
  readonly verify: (code: string) => Promise<void>
}

/** Sets up an authenticator app. The person scans a QR code or types the secret into the app, and then enters a code from the app. */
export const EnrolTotp = ({ uri, verify }: EnrolTotpProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const form = useForm({
    api,
    fields,
    atField: { INVALID_CODE: 'code' },
    check: ({ code }): { readonly code?: string } => (code === '' ? { code: t('code.missing') } : {}),
    submit: async ({ code }) => {
      await verify(code)
      return 'leaving'
    },
  })
  return (
    <div className="enrol">
      <div className="enrol-secret">
        <p>{t('enrol.scan')}</p>
        <Qr text={uri} label={t('enrol.qr')} />
        <p className="quiet">{t('enrol.key')}</p>
        <code className="enrol-key">{grouped(secret)}</code>
        <div className="enrol-actions">
          <CopyButton text={secret} label={t('enrol.copyKey')} />
        </div>
      </div>
      <Form state={form} working={t('step.working')}>
        <CodeField name="code" label={t('enrol.code')} error={form.errors.code} autoFocus={false} />
        <SubmitButton of={form}>{t('enrol.submit')}</SubmitButton>
      </Form>
    </div>
  )
}
