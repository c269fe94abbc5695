import { use, useState } from 'react'
import { knowsPasskeys } from '../../shared/passkey.ts'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { goTo, pageUrl } from '../return-url.ts'
import { Redirect } from '../skeleton.tsx'
import { ChooseMethod, type Method, rank } from './choose.tsx'
import { RecoveryStep, TotpStep } from './code-steps.tsx'
import { Enrol } from './enrol.tsx'
import { Lost } from './lost.tsx'
import { MailStep } from './mail-step.tsx'
import { PasskeyStep } from './passkey-step.tsx'
import type { SecondStep } from './pending.ts'
import type { StepProps } from './step.tsx'
import '../more.css'

/** Shown if the step is over. The sign-in starts again with the same target. */
const Over = ({ replacesForm }: { readonly replacesForm: boolean }) => {
  const { query } = useHosted()
  const { t } = useI18n()
  useTitle(t('step.overTitle'))
  return (
    <MessageCard icon="clock" tone="warn" title={t('step.overTitle')} text={t('step.over')} replacesForm={replacesForm}>
      <div className="actions">
        <LinkButton href={pageUrl('/sign-in', query)}>{t('step.start')}</LinkButton>
      </div>
    </MessageCard>
  )
}

const Prove = ({ method, ...props }: StepProps & { readonly method: Method }) => {
  if (method === 'passkey' || method === 'security-key') return <PasskeyStep method={method} {...props} />
  if (method === 'mail-code') return <MailStep {...props} />
  return method === 'totp' ? <TotpStep {...props} /> : <RecoveryStep {...props} />
}

interface StepsProps {
  readonly step: SecondStep
  /** The methods that meet an application's request for a further proof. Null if there is no such request. */
  readonly wanted: readonly string[] | null
  readonly onOver: () => void
}

const Steps = ({ step, wanted, onOver }: StepsProps) => {
  const { t } = useI18n()
  const methods = rank(wanted === null ? step.methods : step.methods.filter((method) => wanted.includes(method)), knowsPasskeys())
  const [method, setMethod] = useState<Method | 'choose' | 'lost'>(
    step.recovery.state === 'ready' ? 'lost' : (methods[0] ?? 'choose'),
  )
  useTitle(t('step.title'))
  const onDone = () => goTo(step.destination)
  if (step.mustEnrol || wanted?.length === 0) return <Enrol step={step} onDone={onDone} onOver={onOver} />
  if (methods.length === 0 && step.origin === 'pending') return <Over replacesForm={false} />
  if (methods.length === 0) return <Redirect to={step.destination} kind="form1" />
  const onLost = step.origin === 'pending' && step.recovery.state !== 'unavailable' ? () => setMethod('lost') : undefined
  if (method === 'choose') return <ChooseMethod step={step} methods={methods} onChoose={setMethod} onLost={onLost} />
  if (method === 'lost') return <Lost step={step} onDone={onDone} onOver={onOver} onBack={() => setMethod('choose')} />
  const onOther = methods.length > 1 || onLost !== undefined ? () => setMethod('choose') : undefined
  return <Prove method={method} step={step} onDone={onDone} onOver={onOver} onOther={onOther} />
}

/** The second step of a sign-in, or the further proof that a session needs. */
export const TwoFactorPage = () => {
  const { resources } = useHosted()
  const step = use(resources.secondStep())
  const interaction = use(resources.interaction())
  const [isOver, setOver] = useState(false)
  if (interaction === 'gone') return <InteractionGone />
  if (step === 'over' || isOver) return <Over replacesForm={isOver} />
  const wanted = interaction === 'none' ? null : (interaction.stepUp?.methods ?? null)
  return <Steps step={step} wanted={wanted} onOver={() => setOver(true)} />
}
