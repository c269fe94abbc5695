import type { ReactNode } from 'react'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { StepHeading } from '../second-factor/heading.tsx'
import { Card } from '../shell.tsx'
import { StepAccount, type StepProps } from './step.tsx'

export interface Choice<M extends string> {
  readonly name: M
  readonly icon: IconName
  readonly title: string
  readonly text: string
}

interface ChooseProps<M extends string> extends Pick<StepProps, 'step'> {
  readonly title: string
  readonly lead?: string
  readonly choices: readonly Choice<M>[]
  readonly onChoose: (name: M) => void
  /** True if the list replaces a form. Its heading then takes the focus. */
  readonly replacesForm: boolean
  readonly children?: ReactNode
}

/** A list of methods, each with what it needs. */
export const Choose = <M extends string>({ step, title, lead, choices, onChoose, replacesForm, children }: ChooseProps<M>) => (
  <Card>
    <StepHeading title={title} focused={replacesForm}>
      {lead}
    </StepHeading>
    <StepAccount step={step} />
    <ul className="ways">
      {choices.map(({ name, icon, title: way, text }) => (
        <li key={name}>
          <button type="button" className="way" onClick={() => onChoose(name)}>
            <Icon name={icon} size={22} />
            <span className="way-text">
              <strong>{way}</strong>
              <span>{text}</span>
            </span>
            <Icon name="next" size={18} />
          </button>
        </li>
      ))}
    </ul>
    {children}
  </Card>
)

interface Words {
  readonly t: ReturnType<typeof useI18n>['t']
  readonly email: string
}

type Way = (words: Words) => Omit<Choice<string>, 'name'>

const ways = {
  passkey: ({ t }: Words) => ({ icon: 'key', title: t('method.passkey'), text: t('method.passkeyText') }),
  'security-key': ({ t }: Words) => ({ icon: 'key', title: t('method.securityKey'), text: t('method.securityKeyText') }),
  totp: ({ t }: Words) => ({ icon: 'phone', title: t('method.totp'), text: t('method.totpText') }),
  'mail-code': ({ t, email }: Words) => ({
    icon: 'mail',
    title: t('method.mailCode'),
    text: t('method.mailCodeText', { email }),
  }),
  'recovery-code': ({ t }: Words) => ({ icon: 'lock', title: t('method.recoveryCode'), text: t('method.recoveryCodeText') }),
} as const satisfies Readonly<Record<string, Way>>

export type Method = keyof typeof ways

/** The supported methods, best first. The browser asks for security keys and passkeys together, so they are one method. */
export const rank = (names: readonly string[], knowsPasskeys: boolean): readonly Method[] => {
  const all = (Object.keys(ways) as Method[]).filter(
    (name) => names.includes(name) && !(name === 'security-key' && names.includes('passkey')),
  )
  const isUsable = (name: Method) => knowsPasskeys || (name !== 'passkey' && name !== 'security-key')
  return [...all.filter(isUsable), ...all.filter((name) => !isUsable(name))]
}

/** The list of the person's methods. */
export const ChooseMethod = ({
  step,
  methods,
  onChoose,
  onLost,
}: {
  readonly step: StepProps['step']
  readonly methods: readonly Method[]
  readonly onChoose: (method: Method) => void
  /** Called for a person who has lost all methods. Undefined if only an administrator can help. */
  readonly onLost: (() => void) | undefined
}) => {
  const { t } = useI18n()
  const choices = methods.map((name): Choice<Method> => ({ name, ...ways[name]({ t, email: step.email }) }))
  return (
    <Choose step={step} title={t('step.choose')} choices={choices} onChoose={onChoose} replacesForm>
      <p className="card-foot">
        {onLost === undefined ? (
          t('step.lost')
        ) : (
          <Button kind="quiet" onClick={onLost}>
            {t('lost.link')}
          </Button>
        )}
      </p>
    </Choose>
  )
}
