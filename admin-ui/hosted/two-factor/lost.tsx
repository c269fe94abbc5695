import { useState } from 'react'
import { recoveryContract } from '../../../src/authentication/second-factor-recovery/contract.ts'
import { CodeField } from '../../shared/code-field.tsx'
import { Form, FormEnd } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { useMailing } from '../mailing.ts'
import { StepHeading } from '../second-factor/heading.tsx'
import { Card } from '../shell.tsx'
import { CodeButton, useCodeForm } from './code-steps.tsx'
import type { RecoveryState } from './pending.ts'
import { proving, type StepProps } from './step.tsx'

type LostProps = Omit<StepProps, 'onOther'> & {
  /** Goes back to the list of methods. */
  readonly onBack: () => void
}

interface Shared extends LostProps {
  readonly email: string
  readonly onState: (state: RecoveryState) => void
}

const strong = (text: string) => <strong className="break">{text}</strong>

const Back = ({ onBack }: Pick<LostProps, 'onBack'>) => {
  const { t } = useI18n()
  return (
    <Button kind="quiet" onClick={onBack}>
      {t('common.goBack')}
    </Button>
  )
}

/** Explains the wait before the person begins it. */
const Start = ({ step, email, onOver, onBack, onState }: Shared) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const starting = useMailing(async () => {
    await proving(async () => onState(await api.of(recoveryContract).requestSecondFactorRecovery({})), onOver)
  }, false)
  return (
    <Card>
      <StepHeading title={t('lost.title')} focused>
        {t('lost.lead', { count: step.recovery.waitDays })}
      </StepHeading>
      <p className="lost-text">
        <Text id="lost.how" values={{ email: strong(email) }} />
      </p>
      <div className="actions">
        <Button working={starting.pending} blocked={starting.waitSeconds > 0} onClick={starting.send}>
          {t('lost.start')}
        </Button>
      </div>
      <FormEnd problem={starting.problem} pending={starting.pending} foot={<Back onBack={onBack} />} />
    </Card>
  )
}

const Waiting = ({ readyAt, onOver, onBack, onState }: Shared & { readonly readyAt: string }) => {
  const { api } = useHosted()
  const { t, dateTime } = useI18n()
  const stopping = useMailing(async () => {
    const calls = api.of(recoveryContract)
    const stop = async () => {
      await calls.cancelSecondFactorRecovery({ body: {} })
      onState(await calls.secondFactorRecovery({}))
    }
    if (await proving(stop, onOver)) onBack()
  }, false)
  return (
    <Card>
      <StepHeading title={t('lost.waitingTitle')} focused>
        <Text id="lost.waiting" values={{ date: strong(dateTime(readyAt)) }} />
      </StepHeading>
      <p className="lost-text">{t('lost.found')}</p>
      <div className="actions">
        <Button kind="secondary" working={stopping.pending} blocked={stopping.waitSeconds > 0} onClick={stopping.send}>
          {t('lost.stop')}
        </Button>
      </div>
      <FormEnd problem={stopping.problem} pending={stopping.pending} foot={<Back onBack={onBack} />} />
    </Card>
  )
}

/** Shown after the wait. A mailed code then removes the second factors. */
const Finish = ({ expiresAt, email, onDone, onOver, onBack }: Shared & { readonly expiresAt: string }) => {
  const { api } = useHosted()
  const { t, dateTime } = useI18n()
  const [isSent, setSent] = useState(false)
  const mailing = useMailing(async () => {
    if (await proving(() => api.of(recoveryContract).sendSecondFactorRecoveryCode({}), onOver)) setSent(true)
  }, false)
  const form = useCodeForm(
    t('code.missing'),
    { INVALID_CODE: 'code', OTP_HAS_EXPIRED: 'code', TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'code' },
    async (code) => {
      if (await proving(() => api.of(recoveryContract).completeSecondFactorRecovery({ body: { code } }), onOver)) onDone()
      return 'leaving'
    },
  )
  if (!isSent)
    return (
      <Card>
        <StepHeading title={t('lost.readyTitle')} focused>
          <Text id="lost.ready" values={{ email: strong(email) }} />
        </StepHeading>
        <p className="lost-text">
          <Text id="lost.until" values={{ date: strong(dateTime(expiresAt)) }} />
        </p>
        <div className="actions">
          <Button icon="mail" working={mailing.pending} blocked={mailing.waitSeconds > 0} onClick={mailing.send}>
            {t('code.send')}
          </Button>
        </div>
        <FormEnd problem={mailing.problem} pending={mailing.pending} foot={<Back onBack={onBack} />} />
      </Card>
    )
  return (
    <Card>
      <StepHeading title={t('lost.readyTitle')}>
        <Text id="code.mailSent" values={{ email: strong(email) }} />
      </StepHeading>
      <Form state={form} working={t('step.working')} foot={<Back onBack={onBack} />}>
        <CodeField name="code" label={t('code.label')} error={form.errors.code} hint={t('checkEmail.hint')} />
        <CodeButton form={form} />
        <Button kind="secondary" working={mailing.pending} blocked={mailing.waitSeconds > 0} onClick={mailing.send}>
          {mailing.waitSeconds > 0 ? t('checkEmail.resendIn', { count: mailing.waitSeconds }) : t('checkEmail.resend')}
        </Button>
      </Form>
      <p className="visually-hidden" role="status">
        {mailing.sent ? t('checkEmail.resent') : (mailing.problem?.text ?? '')}
      </p>
    </Card>
  )
}

/** For a person who has lost all second factors: the wait, and the step after it. */
export const Lost = (props: LostProps) => {
  const [state, setState] = useState(props.step.recovery)
  const shared = { ...props, email: props.step.email, onState: setState }
  if (state.state === 'ready' && state.expiresAt !== null) return <Finish {...shared} expiresAt={state.expiresAt} />
  if (state.state === 'waiting' && state.readyAt !== null) return <Waiting {...shared} readyAt={state.readyAt} />
  return <Start {...shared} />
}
