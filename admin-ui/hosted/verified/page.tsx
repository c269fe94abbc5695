import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { sameOriginReturnUrl } from '../return-url.ts'
import { Redirect } from '../skeleton.tsx'

/** The page that a verification link leads to. The address has an error code if the link is invalid. */
export const VerifiedPage = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  useTitle(t('verified.title'))
  if (query.has('error')) return <Redirect to={`/error?${query}`} kind="note" />
  return (
    <MessageCard icon="check" title={t('verified.title')} text={t('verified.text')}>
      <div className="actions">
        <LinkButton href={sameOriginReturnUrl(query)}>{t('common.continue')}</LinkButton>
      </div>
    </MessageCard>
  )
}
