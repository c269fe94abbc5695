import { useState } from 'react'
import { mailCodeContract } from '../../../src/authentication/methods/mail-codes/contract.ts'
import { CodeField } from '../../shared/code-field.tsx'
import { Form, FormEnd } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { ResendButton } from '../mail-request.tsx'
import { useMailing } from '../mailing.ts'
import { CodeButton, useCodeForm } from './code-steps.tsx'
import { proving, Remember, StepCard, type StepProps, trustDevice } from './step.tsx'

/** Sends a code by mail. The mail is sent when the person presses the button, not when the page loads. */
export const MailStep = ({ step, onDone, onOver, onOther }: StepProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const [isSent, setSent] = useState(false)
  const mailing = useMailing(async () => {
    if (await proving(() => api.of(mailCodeContract).sendOtp({ body: {} }), onOver)) setSent(true)
  }, false)
  const form = useCodeForm(
    t('code.missing'),
    { INVALID_CODE: 'code', OTP_HAS_EXPIRED: 'code', TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'code' },
    async (code, data) => {
      const body = { code, ...trustDevice(data) }
      if (await proving(() => api.of(mailCodeContract).verifyOtp({ body }), onOver)) onDone()
      return 'leaving'
    },
  )
  const email = <strong className="break">{step.email}</strong>
  if (!isSent)
    return (
      <StepCard step={step} focused lead={<Text id="code.mailAsk" values={{ email }} />} onOther={onOther}>
        <div className="actions">
          <Button icon="mail" working={mailing.pending} blocked={mailing.waitSeconds > 0} onClick={mailing.send}>
            {t('code.send')}
          </Button>
        </div>
        <FormEnd problem={mailing.problem} pending={mailing.pending} />
      </StepCard>
    )
  return (
    <StepCard step={step} lead={<Text id="code.mailSent" values={{ email }} />} onOther={onOther}>
      <Form state={form} working={t('step.working')}>
        <Remember days={step.rememberDays} />
        <CodeField name="code" label={t('code.label')} error={form.errors.code} hint={t('checkEmail.hint')} />
        <CodeButton form={form} />
        <ResendButton mailing={mailing} />
      </Form>
      <p className="visually-hidden" role="status">
        {mailing.sent ? t('checkEmail.resent') : (mailing.problem?.text ?? '')}
      </p>
    </StepCard>
  )
}
