import { useState } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'

interface CopyButtonProps {
  readonly text: string
  readonly label: string
}

/** A button that copies a text and says whether that worked. Browsers allow copying only on secure origins, and may ask the person. */
export const CopyButton = ({ text, label }: CopyButtonProps) => {
  const { t } = useI18n()
  const [outcome, setOutcome] = useState<'done' | 'failed'>()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setOutcome('done')
    } catch {
      setOutcome('failed')
    }
  }
  return (
    <>
      <Button kind="secondary" icon={outcome === 'done' ? 'check' : 'copy'} onClick={() => void copy()}>
        {outcome === 'done' ? t('copy.done') : label}
      </Button>
      <span className={outcome === 'failed' ? 'copy-failed' : 'visually-hidden'} role="status">
        {outcome === undefined ? '' : t(outcome === 'done' ? 'copy.done' : 'copy.failed')}
      </span>
    </>
  )
}
