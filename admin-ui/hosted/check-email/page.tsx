import { FormEnd } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { ResendButton } from '../mail-request.tsx'
import { useVerificationMail } from '../mailing.ts'
import { MessageCard } from '../message-card.tsx'
import { afterVerification, pageUrl } from '../return-url.ts'

const Resend = ({ email }: { readonly email: string }) => {
  const { query } = useHosted()
  const { t } = useI18n()
  const mailing = useVerificationMail(email, afterVerification(query), true)
  return (
    <>
      <div className="actions">
        <ResendButton mailing={mailing} />
      </div>
      <FormEnd
        problem={mailing.problem}
        done={mailing.sent ? t('checkEmail.resent') : undefined}
        pending={mailing.pending}
        foot={<a href={pageUrl('/sign-in', query)}>{t('checkEmail.other')}</a>}
      />
    </>
  )
}

export const CheckEmailPage = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  const email = query.get('email') ?? ''
  useTitle(t('checkEmail.title'))
  const text =
    email === '' ? (
      t('checkEmail.sent')
    ) : (
      <Text id="checkEmail.sentTo" values={{ email: <strong className="break">{email}</strong> }} />
    )
  return (
    <MessageCard icon="mail" title={t('checkEmail.title')} text={text}>
      <p className="quiet">{t('checkEmail.hint')}</p>
      {email === '' ? (
        <p className="card-foot">
          <a href={pageUrl('/sign-in', query)}>{t('checkEmail.other')}</a>
        </p>
      ) : (
        <Resend email={email} />
      )}
    </MessageCard>
  )
}
