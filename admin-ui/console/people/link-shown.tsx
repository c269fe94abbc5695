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

/** Shows a link with which a user sets a password. The link is shown only once, because the server stores only a hash of its token. */
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
