import { useState } from 'react'
import type { CallParts, Target } from '../../../src/http/client.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { CopyField } from './copy-field.tsx'
import { curlOf, shellWord } from './curl.ts'

export interface ShownCall {
  readonly target: Target
  readonly input?: CallParts
  /** Words of the command of `gatehouse` that does the same, where there is one. */
  readonly command?: readonly string[] | undefined
}

/** On lists `isQuery`: the same as a query. `calls`: a change of several rows. */
type ShowCallProps = (ShownCall & { readonly isQuery?: boolean }) | { readonly calls: readonly ShownCall[] }

/** Shows a change or a list as the calls and the commands that do the same. */
export const ShowCall = (props: ShowCallProps) => {
  const { t } = useI18n()
  const [calls, isQuery] = 'calls' in props ? [props.calls, false] : [[props], props.isQuery === true]
  const commands = calls.flatMap(({ command }) =>
    command === undefined ? [] : [['gatehouse', ...command].map(shellWord).join(' ')],
  )
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" className="show-call" onClick={() => setIsOpen(true)}>
        <Icon name="terminal" size={16} />
        {t(isQuery ? 'console.call.query' : 'console.call.show')}
      </button>
      {isOpen ? (
        <Dialog title={t('console.call.title')} onClose={() => setIsOpen(false)}>
          <div className="call">
            <CopyField
              label={t('console.call.api')}
              value={calls.map(({ target, input = {} }) => curlOf(target, input, location.origin)).join('\n')}
              isBlock
            />
            {commands.length === 0 ? null : <CopyField label={t('console.call.command')} value={commands.join('\n')} isBlock />}
            <p className="call-note">{t('console.call.note')}</p>
          </div>
          <div className="dialog-actions">
            <Button kind="secondary" onClick={() => setIsOpen(false)}>
              {t('console.peek.close')}
            </Button>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
