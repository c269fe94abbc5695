import { use, useState } from 'react'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import { checkEmail } from '../../shared/checks.ts'
import { Field } from '../../shared/field.tsx'
import { Form, FormEnd, useForm } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { useMailing } from '../mailing.ts'
import { MessageCard } from '../message-card.tsx'
import { useProof } from '../proof.ts'
import { pageUrl } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'

const fields = ['email'] as const

/** Where the mailed link leads. It keeps where the person was going when the password was missing. */
const useRequestReset = () => {
  const { api, query } = useHosted()
  const { prove, text } = useProof('reset')
  const request = (email: string) => {
    const body = { email, redirectTo: pageUrl('/reset-password', query) }
    return prove((headers) => api.of(newPasswordContract, headers).requestPasswordReset({ body }))
  }
  return { request, proofText: text }
}

/** The same for every address, whether it is somebody's or not. */
const Sent = ({ email, onOther }: { readonly email: string; readonly onOther: () => void }) => {
  const { query } = useHosted()
  const { t } = useI18n()
  const { request } = useRequestReset()
  const mailing = useMailing(() => request(email), true)
  return (
    <MessageCard
      icon="mail"
      title={t('checkEmail.title')}
      text={<Text id="forgot.sentTo" values={{ email: <strong className="break">{email}</strong> }} />}
      replacesForm
    >
      <p className="quiet">{t('forgot.hint')}</p>
      <div className="actions">
        <Button kind="secondary" onClick={onOther}>
          {t('checkEmail.other')}
        </Button>
        <Button kind="secondary" working={mailing.pending} blocked={mailing.waitSeconds > 0} onClick={mailing.send}>
          {mailing.waitSeconds > 0 ? t('checkEmail.resendIn', { count: mailing.waitSeconds }) : t('checkEmail.resend')}
        </Button>
      </div>
      <FormEnd
        problem={mailing.problem}
        done={mailing.sent ? t('checkEmail.resent') : undefined}
        pending={mailing.pending}
        foot={<a href={pageUrl('/sign-in', query)}>{t('common.backToSignIn')}</a>}
      />
    </MessageCard>
  )
}

interface AskProps {
  readonly email: string
  readonly onSent: (email: string) => void
}

const Ask = ({ email, onSent }: AskProps) => {
  const { api, query } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { request, proofText } = useRequestReset()
  const form = useForm({
    api,
    fields,
    check: (values) => checkEmail(values, i18n),
    submit: async (values) => {
      await request(values.email.trim())
      onSent(values.email.trim())
      return 'leaving'
    },
  })
  return (
    <Card>
      <Heading title={t('forgot.title')}>{t('forgot.lead')}</Heading>
      <Form
        state={form}
        working={proofText ?? t('checkEmail.working')}
        foot={<a href={pageUrl('/sign-in', query)}>{t('common.backToSignIn')}</a>}
      >
        <Field
          name="email"
          type="email"
          label={t('field.email')}
          autoComplete="username"
          defaultValue={email}
          autoFocus
          error={form.errors.email}
        />
        <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
          {form.waitSeconds > 0 ? t('problem.tooManyWait', { count: form.waitSeconds }) : (proofText ?? t('forgot.submit'))}
        </Button>
      </Form>
    </Card>
  )
}

export const ForgotPasswordPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const settings = use(resources.settings())
  const [email, setEmail] = useState(query.get('email') ?? '')
  const [isSent, setSent] = useState(false)
  useTitle(t(isSent ? 'checkEmail.title' : 'forgot.title'))
  if (settings.passwordResetEnabled === false) {
    return (
      <MessageCard icon="lock" tone="warn" title={t('forgot.title')} text={t('problem.resetOff')}>
        <p className="card-foot">
          <a href={pageUrl('/sign-in', query)}>{t('common.backToSignIn')}</a>
        </p>
      </MessageCard>
    )
  }
  if (isSent) return <Sent email={email} onOther={() => setSent(false)} />
  return (
    <Ask
      email={email}
      onSent={(address) => {
        setEmail(address)
        setSent(true)
      }}
    />
  )
}
