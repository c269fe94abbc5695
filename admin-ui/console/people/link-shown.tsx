import { Dialog } from '../../shared/dialog.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { CopyField } from '../shared/copy-field.tsx'
import { Time } from '../shared/time.tsx'

export interface RecoveryLink {
  readonly url: string
  readonly expiresAt: string
}

interface LinkShownProps {
  readonly name: string
  readonly link: RecoveryLink
  readonly onClose: () => void
}

/** A link that sets a user's password, shown once: the server only stores its hash. */
export const LinkShown = ({ name, link, onClose }: LinkShownProps) => {
  const { t } = useI18n()
  return (
    <Dialog title={t('people.linkOf', { name })} onClose={onClose}>
      <div className="call">
        <Notice tone="wait">{t('people.linkOnce')}</Notice>
        <CopyField label={t('people.link')} value={link.url} />
        <p className="call-note">
          {t('people.linkUntil')} <Time at={link.expiresAt} exact />
        </p>
      </div>
      <div className="dialog-actions">
        <Button onClick={onClose}>{t('people.linkDone')}</Button>
      </div>
    </Dialog>
  )
}
