import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { destinationOf, pageUrl } from '../continuation.ts'
import { Card, Heading } from '../shell.tsx'
import { useVerificationMail } from './resend.ts'

const Resend = ({ email }: { readonly email: string }) => {
  const { query } = useHosted()
  const { t } = useI18n()
  const mail = useVerificationMail(email, destinationOf(query), true)
  return (
    <>
      <div className="actions">
        <Button kind="secondary" working={mail.pending} blocked={mail.waitSeconds > 0} onClick={mail.send}>
          {mail.waitSeconds > 0 ? t('checkEmail.resendIn', { count: mail.waitSeconds }) : t('checkEmail.resend')}
        </Button>
      </div>
      <div className="form-status" role="status">
        {mail.outcome === undefined ? null : <Notice tone={mail.outcome.tone}>{mail.outcome.text}</Notice>}
      </div>
    </>
  )
}

export const CheckEmailPage = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  const email = query.get('email') ?? ''
  useTitle(t('checkEmail.title'))
  return (
    <Card>
      <span className="emblem">
        <Icon name="mail" size={26} />
      </span>
      <Heading title={t('checkEmail.title')}>
        {email === '' ? (
          t('checkEmail.sent')
        ) : (
          <Text id="checkEmail.sentTo" values={{ email: <strong className="break">{email}</strong> }} />
        )}
      </Heading>
      <p className="quiet">{t('checkEmail.hint')}</p>
      {email === '' ? null : <Resend email={email} />}
      <p className="card-foot">
        <a href={pageUrl('/sign-in', query)}>{t('checkEmail.other')}</a>
      </p>
    </Card>
  )
}
