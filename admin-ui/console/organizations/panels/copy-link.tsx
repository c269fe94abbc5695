import { useI18n } from '../../../shared/text.tsx'
import { ActionButton } from '../../shared/action-button.tsx'
import { useCopy } from '../../shared/use-copy.ts'

/** The colours of what can become of an invitation. */
export const statusTones = { pending: 'new', accepted: 'good', rejected: 'warn', canceled: 'plain', expired: 'warn' } as const

interface CopyLinkProps {
  readonly invitation: { readonly id: string; readonly email: string }
}

/** Copies the page of the invitation; without the token of the mail, so that it proves no address. */
export const CopyLink = ({ invitation: { id, email } }: CopyLinkProps) => {
  const { t } = useI18n()
  const { outcome, copy } = useCopy(`${location.origin}/invitation/${id}`)
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
