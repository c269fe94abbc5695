import { use, useState } from 'react'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import { FormEnd } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { AddressForm, ResendButton } from '../mail-request.tsx'
import { useMailing } from '../mailing.ts'
import { MessageCard } from '../message-card.tsx'
import { useProof } from '../proof.ts'
import { pageUrl } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'

/**
 * Returns a function that requests the mail. After the link in the mail, the person gets to the same return URL as after the sign-in for
 * which the password was missing.
 */
const useRequestReset = () => {
  const { api, query } = useHosted()
  const { prove, text } = useProof('reset')
  const request = (email: string) => {
    const body = { email, redirectTo: pageUrl('/reset-password', query) }
    return prove((headers) => api.of(newPasswordContract, headers).requestPasswordReset({ body }))
  }
  return { request, proofText: text }
}

/** Shown after every request, whether or not an account has the email address. */
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
        <ResendButton mailing={mailing} />
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

const Ask = (props: AskProps) => {
  const { query } = useHosted()
  const { t } = useI18n()
  const foot = <a href={pageUrl('/sign-in', query)}>{t('common.backToSignIn')}</a>
  return (
    <Card>
      <Heading title={t('forgot.title')}>{t('forgot.lead')}</Heading>
      <AddressForm {...props} {...useRequestReset()} submit={t('forgot.submit')} foot={foot} />
    </Card>
  )
}

export const ForgotPasswordPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const settings = use(resources.settings())
  const [email, setEmail] = useState(query.get('email') ?? '')
  // If the form was sent before the script ran, the server has already sent the mail.
  const [isSent, setSent] = useState(query.has('sent') && email !== '')
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
