import { Dialog } from '../../shared/dialog.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'

interface ConfirmProps {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

/** A dialog that asks a question. Pressing Escape or the first button closes it and changes nothing. */
export const Confirm = ({ title, text, action, onConfirm, onCancel }: ConfirmProps) => {
  const { t } = useI18n()
  return (
    <Dialog title={title} text={text} onClose={onCancel}>
      <div className="dialog-actions">
        <Button kind="secondary" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button kind="danger" onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
