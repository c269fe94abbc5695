import { useI18n } from '../../../shared/text.tsx'
import { ActionButton } from '../../shared/action-button.tsx'
import { useCopy } from '../../shared/use-copy.ts'

interface CopyLinkProps {
  /** The URL of the page on which the person accepts the invitation. */
  readonly link: string
  readonly email: string
}

/** A button that copies the URL of the page on which the person accepts the invitation. */
export const CopyLink = ({ link, email }: CopyLinkProps) => {
  const { t } = useI18n()
  const { outcome, copy } = useCopy(link)
  return (
    <ActionButton permission="all-organizations:update" icon={outcome === 'done' ? 'check' : 'link'} onClick={() => void copy()}>
      {t('organizations.copyLink')}
      <span className="visually-hidden"> {email}</span>
      <span className="visually-hidden" role="status">
        {outcome === undefined ? '' : t(outcome === 'done' ? 'console.copied' : 'console.copyFailed')}
      </span>
    </ActionButton>
  )
}
