import { useState } from 'react'
import type { CallParts, Target } from '../../../src/http/client.ts'
import { Dialog } from '../../hosted/account/dialog.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { CopyField } from './copy-field.tsx'
import { curlOf, shellWord } from './curl.ts'

interface ShowCallProps {
  readonly target: Target
  readonly input?: CallParts
  /** Words of the command of `gatehouse` that does the same, where there is one. */
  readonly command?: readonly string[]
  /** On lists: the same as a query. */
  readonly isQuery?: boolean
}

/** Shows a change or a list as the call and the command that do the same. */
export const ShowCall = ({ target, input = {}, command, isQuery = false }: ShowCallProps) => {
  const { t } = useI18n()
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
            <CopyField label={t('console.call.api')} value={curlOf(target, input, location.origin)} isBlock />
            {command === undefined ? null : (
              <CopyField label={t('console.call.command')} value={['gatehouse', ...command].map(shellWord).join(' ')} isBlock />
            )}
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
