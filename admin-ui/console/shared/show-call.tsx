import { createContext, use, useState } from 'react'
import type { CallParts, Target } from '../../../src/http/client.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { CopyField } from './copy-field.tsx'
import { curlOf, shellWord } from './curl.ts'

/** The input of a dialog: the reason, and the fields at the time of reading. */
export interface GivenInput {
  readonly reason: string
  readonly form: FormData
}
/** A function that reads the input of the surrounding dialog. */
export const GivenInputContext = createContext<(() => GivenInput) | undefined>(undefined)

export interface ShownCall {
  readonly target: Target
  readonly input?: CallParts
  /** Words of the equivalent command of `gatehouse`, if there is one. */
  readonly command?: readonly string[] | undefined
}

/**
 * `isQuery` adds "copy as query" for a list. `of` makes the call from the fields of a dialog when the call is shown. `calls` makes the
 * calls of a change of several rows.
 */
type ShowCallProps =
  | (ShownCall & { readonly isQuery?: boolean })
  | { readonly of: (given: GivenInput) => ShownCall }
  | { readonly calls: (given: GivenInput) => readonly ShownCall[] }

/** Adds the reason to a command. A command without a reason stays as it is. */
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

/** Shows a change or list as equivalent calls and commands, with the reason of the surrounding dialog. */
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
