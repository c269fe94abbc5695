import { createContext, use, useState } from 'react'
import type { CallParts, Target } from '../../../src/http/client.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { CopyField } from './copy-field.tsx'
import { curlOf, shellWord } from './curl.ts'

/** What a person has entered in a dialog: the reason and the fields, at the moment when they are read. */
export interface GivenInput {
  readonly reason: string
  readonly form: FormData
}
/** Provides a function that reads what the person has entered in the dialog around a component. */
export const GivenInputContext = createContext<(() => GivenInput) | undefined>(undefined)

export interface ShownCall {
  readonly target: Target
  readonly input?: CallParts
  /** The arguments of the `gatehouse` command that does the same. Undefined if there is no such command. */
  readonly command?: readonly string[] | undefined
}

/**
 * What to show: one call, the call that `of` makes from the fields of a dialog at that moment, or the `calls` of a change of several
 * rows. `isQuery` offers to copy the call of a list as a query.
 */
type ShowCallProps =
  | (ShownCall & { readonly isQuery?: boolean })
  | { readonly of: (given: GivenInput) => ShownCall }
  | { readonly calls: (given: GivenInput) => readonly ShownCall[] }

/** Adds the option for the reason to a command, unless the reason is empty. */
const withReason = (command: readonly string[], reason: string) => [...command, ...(reason === '' ? [] : ['--reason', reason])]

interface ShownProps {
  readonly props: ShowCallProps
  readonly given: GivenInput
  readonly onClose: () => void
}

const callsOf = (props: ShowCallProps, given: GivenInput): readonly ShownCall[] => {
  if ('calls' in props) return props.calls(given)
  return ['of' in props ? props.of(given) : props]
}

const Shown = ({ props, given, onClose }: ShownProps) => {
  const { t } = useI18n()
  const { reason } = given
  const calls = callsOf(props, given)
  const commands = calls.flatMap(({ command }) =>
    command === undefined
      ? []
      : [
          withReason(['gatehouse', ...command], reason)
            .map(shellWord)
            .join(' '),
        ],
  )
  return (
    <Dialog title={t('console.call.title')} onClose={onClose}>
      <div className="call">
        <CopyField
          label={t('console.call.api')}
          value={calls.map(({ target, input = {} }) => curlOf(target, input, location.origin, reason)).join('\n')}
          isBlock
        />
        {commands.length === 0 ? null : <CopyField label={t('console.call.command')} value={commands.join('\n')} isBlock />}
        <p className="call-note">{t('console.call.note')}</p>
      </div>
      <div className="dialog-actions">
        <Button kind="secondary" onClick={onClose}>
          {t('console.peek.close')}
        </Button>
      </div>
    </Dialog>
  )
}

/** Shows a change or a list as API calls and commands. They contain the reason from the dialog around this component. */
export const ShowCall = (props: ShowCallProps) => {
  const { t } = useI18n()
  const readInput = use(GivenInputContext)
  const isQuery = 'target' in props && props.isQuery === true
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" className="show-call" onClick={() => setIsOpen(true)}>
        <Icon name="terminal" size={16} />
        {t(isQuery ? 'console.call.query' : 'console.call.show')}
      </button>
      {isOpen ? (
        <Shown props={props} given={readInput?.() ?? { reason: '', form: new FormData() }} onClose={() => setIsOpen(false)} />
      ) : null}
    </>
  )
}
