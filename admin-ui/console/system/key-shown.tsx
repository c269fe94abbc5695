import { Dialog } from '../../shared/dialog.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { CopyField } from '../shared/copy-field.tsx'

/** A dialog that shows a new API key. It is shown only once. */
export const KeyShown = ({ value, onClose }: { readonly value: string; readonly onClose: () => void }) => {
  const { t } = useI18n()
  return (
    <Dialog title={t('system.keyShown')} onClose={onClose}>
      <div className="call">
        <Notice tone="wait">{t('system.keyShownText')}</Notice>
        <CopyField label={t('system.apiKey')} value={value} />
      </div>
      <div className="dialog-actions">
        <Button onClick={onClose}>{t('system.keyKept')}</Button>
      </div>
    </Dialog>
  )
}
