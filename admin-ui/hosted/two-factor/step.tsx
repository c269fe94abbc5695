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

/** The properties that every method's step has. */
export interface StepProps {
  readonly step: SecondStep
  /** Called when the server has accepted a proof. */
  readonly onDone: () => void
  /** Called when the sign-in no longer waits for a proof, for example because it has expired. */
  readonly onOver: () => void
  /** Goes to another method. Undefined if the person has no other method. */
  readonly onOther: (() => void) | undefined
}

/** Makes a call of the second step. Returns true if it succeeded, and false if the sign-in no longer waits for a proof. */
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

/** The account of the pending sign-in, with a link to use another account. A session that gives a further proof stays with its account. */
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
  /** True if the heading takes the focus, because the step has no field for it. */
  readonly focused?: boolean
  /** Goes to another method. Undefined if the person has no other method. */
  readonly onOther: (() => void) | undefined
  readonly children: ReactNode
}

/** The card of a step: title, a line, the account, and the application of the sign-in. */
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

/** A button back to the application of the sign-in. Renders nothing without an application. */
export const Decline = () => {
  const { resources } = useHosted()
  const interaction = use(resources.interaction())
  return typeof interaction === 'string' ? null : <Cancel interaction={interaction} />
}

/**
 * A link to another method. It is outside of the form's footer, because a message replaces the footer, and people look for another method
 * after a message.
 */
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

/** A checkbox above the code. A complete code is sent automatically, so nobody would reach a checkbox below it. */
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

/** The part of the request body that the checkbox decides. */
export const trustDevice = (data: FormData): { readonly trustDevice?: true } =>
  data.get('trustDevice') === null ? {} : { trustDevice: true }
