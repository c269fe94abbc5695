import type { ReactNode } from 'react'
import { use } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Avatar, Button } from '../../shared/ui.tsx'
import { Cancel } from '../cancel.tsx'
import { ClientRow } from '../client.tsx'
import { useHosted } from '../context.tsx'
import { pageUrl } from '../return-url.ts'
import { StepHeading } from '../second-factor/heading.tsx'
import { Card } from '../shell.tsx'
import { isOver, type SecondStep } from './pending.ts'

/** What every way to give the second factor is told. */
export interface StepProps {
  readonly step: SecondStep
  /** Its proof was right: on with it. */
  readonly onDone: () => void
  /** There is nothing to prove any more. */
  readonly onOver: () => void
  /** Undefined where there is no other way. */
  readonly onOther: (() => void) | undefined
}

/** Makes a call of the second step; true when it went well, false when there is nothing to prove any more. */
export const proving = async (call: () => Promise<unknown>, onOver: () => void): Promise<boolean> => {
  try {
    await call()
    return true
  } catch (error) {
    if (!isOver(error)) throw error
    onOver()
    return false
  }
}

/** The account whose sign-in waits, and the way to another one. A session that proves itself again stays with its account. */
export const StepAccount = ({ step: { email, origin } }: Pick<StepProps, 'step'>) => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const interaction = use(resources.interaction())
  return (
    <div className="identity step-account">
      <Avatar name={email} />
      <span className="identity-text">
        <span className="identity-email">{t('step.account')}</span>
        <span className="identity-name">{email}</span>
      </span>
      {origin === 'pending' ? (
        <a
          className="button button-quiet"
          href={typeof interaction === 'string' ? pageUrl('/sign-in', query) : interaction.signInPage}
        >
          {t('step.another')}
        </a>
      ) : null}
    </div>
  )
}

interface StepCardProps extends Pick<StepProps, 'step'> {
  readonly lead: ReactNode
  /** True where no field takes the focus. */
  readonly focused?: boolean
  /** Undefined where there is no other way. */
  readonly onOther: (() => void) | undefined
  readonly children: ReactNode
}

/** Title and one line, the account, and the application that the person is on the way to. */
export const StepCard = ({ step, lead, focused = false, onOther, children }: StepCardProps) => {
  const { resources } = useHosted()
  const { t } = useI18n()
  const interaction = use(resources.interaction())
  return (
    <Card>
      <StepHeading title={t('step.title')} focused={focused}>
        {lead}
      </StepHeading>
      <StepAccount step={step} />
      {typeof interaction === 'string' ? null : <ClientRow client={interaction.client} />}
      {children}
      <OtherWay onOther={onOther} />
      <Decline />
    </Card>
  )
}

/** Back to the application that the person is on the way to; of who is on the way to none there is nothing. */
export const Decline = () => {
  const { resources } = useHosted()
  const interaction = use(resources.interaction())
  return typeof interaction === 'string' ? null : <Cancel interaction={interaction} />
}

/** The quiet way out of a step. No foot of its form, whose place a problem takes: it is then that another way is wanted. */
const OtherWay = ({ onOther }: Pick<StepProps, 'onOther'>) => {
  const { t } = useI18n()
  return (
    <p className="card-foot">
      {onOther === undefined ? (
        t('step.lost')
      ) : (
        <Button kind="quiet" onClick={onOther}>
          {t('step.other')}
        </Button>
      )}
    </p>
  )
}

/** Above the code, because a complete code is sent by itself. */
export const Remember = ({ days }: { readonly days: number }) => {
  const { t } = useI18n()
  if (days === 0) return null
  return (
    <label className="check">
      <input type="checkbox" name="trustDevice" />
      <span>{t('step.remember', { count: days })}</span>
    </label>
  )
}

/** What a code is sent with. */
export const trustDevice = (data: FormData): { readonly trustDevice?: true } =>
  data.get('trustDevice') === null ? {} : { trustDevice: true }
