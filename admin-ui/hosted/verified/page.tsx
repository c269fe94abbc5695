import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { sameOriginReturnUrl } from '../return-url.ts'
import { Redirect } from '../skeleton.tsx'

/** Where the link of a verification mail leads, with a code when it no longer works. */
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
