import type { ReactNode } from 'react'
import type { FormProblem } from '../shared/error-messages.ts'
import { FormEnd } from '../shared/form.tsx'
import { Icon } from '../shared/icons.tsx'
import { useI18n } from '../shared/text.tsx'

export interface Option {
  readonly id: string
  readonly title: string
  readonly detail: string
  readonly tile: ReactNode
  /** True while the choice of this option is being sent. */
  readonly isSending: boolean
  readonly onChoose: () => void
}

interface OptionListProps {
  readonly options: readonly Option[]
  readonly blocked: boolean
  readonly problem: FormProblem | undefined
  readonly waitSeconds: number
  /** A text for screen readers while the choice is being sent. Undefined at other times. */
  readonly progress: string | undefined
}

/** A list of options, each with a button that sends the choice. The result is shown below. */
export const OptionList = ({ options, blocked, problem, waitSeconds, progress }: OptionListProps) => {
  const { t } = useI18n()
  return (
    <>
      <ul className="options">
        {options.map(({ id, title, detail, tile, isSending, onChoose }) => (
          <li key={id}>
            <button
              className="option"
              type="button"
              aria-disabled={blocked}
              aria-busy={isSending}
              onClick={() => (blocked ? undefined : onChoose())}
            >
              {tile}
              <span className="identity-text">
                <span className="option-name">{title}</span>
                <span className="identity-email">{detail}</span>
              </span>
              {isSending ? <span className="spinner" aria-hidden="true" /> : <Icon name="next" size={18} />}
            </button>
          </li>
        ))}
      </ul>
      <FormEnd problem={problem} pending={progress !== undefined} />
      <p className="visually-hidden" role="status">
        {waitSeconds > 0 ? t('problem.tooManyWait', { count: waitSeconds }) : ''}
        {progress ?? ''}
      </p>
    </>
  )
}
