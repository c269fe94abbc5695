import { use, useLayoutEffect, useState } from 'react'
import { mailSignInContract } from '../../../src/authentication/methods/mail-sign-in/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import { CodeField } from '../../shared/code-field.tsx'
import { errorMessages } from '../../shared/error-messages.ts'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { ClientRow, InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { AddressForm, ResendButton } from '../mail-request.tsx'
import { useMailing } from '../mailing.ts'
import { useProof } from '../proof.ts'
import { goTo, pageUrl, returnUrlOf } from '../return-url.ts'
import { StepHeading } from '../second-factor/heading.tsx'
import { Card } from '../shell.tsx'
import '../more.css'

const codeFields = ['code'] as const

/**
 * Returns a function that requests a mail with a link and a code. The server checks the return URL of the link, so after a code the page
 * can go to it without a check.
 */
const useRequestMail = () => {
  const { api, query } = useHosted()
  const { prove, text } = useProof('mail-sign-in')
  const request = (email: string) => {
    const body = { email, callbackURL: returnUrlOf(query), errorCallbackURL: pageUrl('/mail-sign-in', query) }
    return prove((headers) => api.of(mailSignInContract, headers).signInMagicLink({ body }))
  }
  return { request, proofText: text }
}

/** Explains why the mailed link that led to this page did not sign the person in. */
const LinkProblem = () => {
  const { query } = useHosted()
  const i18n = useI18n()
  const code = query.get('error')
  if (code === null) return null
  const { form } = errorMessages(new ApiError(400, code, code), [], undefined, i18n)
  return (
    <div className="outcome" role="alert">
      <Notice tone="bad">{form?.text}</Notice>
    </div>
  )
}

const BackToPassword = () => {
  const { query } = useHosted()
  return <a href={pageUrl('/sign-in', query)}>{useI18n().t('byMail.password')}</a>
}

interface EnterCodeProps {
  readonly email: string
  /** Requests another mail. */
  readonly request: (email: string) => Promise<unknown>
  readonly onOther: () => void
}

/** Shown after every request, whether or not an account has the email address. Asks for the code from the mail. */
const EnterCode = ({ email, request, onOther }: EnterCodeProps) => {
  const { api, query, typed } = useHosted()
  const { t } = useI18n()
  const mailing = useMailing(() => request(email), true)
  const form = useForm({
    api,
    fields: codeFields,
    refused: typed?.refusal(),
    atField: { INVALID_OTP: 'code', OTP_EXPIRED: 'code', TOO_MANY_ATTEMPTS: 'code' },
    check: ({ code }): { readonly code?: string } => (code === '' ? { code: t('code.missing') } : {}),
    submit: async ({ code }) => {
      const answer = await api.of(mailSignInContract).signInEmailOtp({ body: { email, otp: code } })
      if ('twoFactorRedirect' in answer) location.assign(pageUrl('/two-factor', query))
      else goTo(returnUrlOf(query))
      return 'leaving'
    },
  })
  useLayoutEffect(() => {
    if (form.ref.current !== null) typed?.into(form.ref.current)
  }, [form.ref, typed])
  return (
    <>
      <Form state={form} working={t('signIn.working')} foot={<BackToPassword />}>
        <CodeField name="code" label={t('code.label')} error={form.errors.code} hint={t('checkEmail.hint')} />
        <SubmitButton of={form}>{t('signIn.submit')}</SubmitButton>
        <div className="actions">
          <Button kind="secondary" onClick={onOther}>
            {t('checkEmail.other')}
          </Button>
          <ResendButton mailing={mailing} />
        </div>
      </Form>
      <p className="visually-hidden" role="status">
        {mailing.sent ? t('checkEmail.resent') : (mailing.problem?.text ?? '')}
      </p>
    </>
  )
}

/** The page for signing in with a link or code from a mail. */
export const MailSignInPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const interaction = use(resources.interaction())
  const [email, setEmail] = useState(query.get('email') ?? '')
  // If the form was sent before the script ran, the server has already sent the mail.
  const [isSent, setSent] = useState(query.has('sent') && email !== '')
  const mail = useRequestMail()
  const title = t(isSent ? 'checkEmail.title' : 'signIn.byMail')
  useTitle(title)
  if (interaction === 'gone') return <InteractionGone />
  const sent = <Text id="byMail.sent" values={{ email: <strong className="break">{email}</strong> }} />
  return (
    <Card>
      <StepHeading title={title} focused={false}>
        {isSent ? sent : t('byMail.lead')}
      </StepHeading>
      {interaction === 'none' ? null : <ClientRow client={interaction.client} />}
      {isSent ? null : <LinkProblem />}
      {isSent ? (
        <EnterCode email={email} request={mail.request} onOther={() => setSent(false)} />
      ) : (
        <AddressForm
          email={email}
          {...mail}
          submit={t('byMail.submit')}
          foot={<BackToPassword />}
          onSent={(address) => {
            setEmail(address)
            setSent(true)
          }}
        />
      )}
    </Card>
  )
}
