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
  /** True while this choice is being sent. */
  readonly isSending: boolean
  readonly onChoose: () => void
}

interface OptionListProps {
  readonly options: readonly Option[]
  readonly blocked: boolean
  readonly problem: FormProblem | undefined
  readonly waitSeconds: number
  /** Text for screen readers while a choice is being sent; undefined otherwise. */
  readonly progress: string | undefined
}

/** A button for each choice, with the result below them. */
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
