import { useEffect } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { Redirect } from '../skeleton.tsx'
import { holdRedirect } from '../social/redirect.ts'

/**
 * The page that is shown when an account was deleted, immediately or by a mailed link. If the link was invalid, the address has an error
 * code.
 */
export const DeletedPage = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  useTitle(t('deleted.title'))
  useEffect(holdRedirect, [])
  if (query.has('error')) return <Redirect to={`/error?${query}`} kind="note" />
  return (
    <MessageCard icon="check" title={t('deleted.title')} text={t('deleted.text')}>
      <div className="actions">
        <LinkButton kind="secondary" href="/sign-in">
          {t('common.toSignIn')}
        </LinkButton>
      </div>
    </MessageCard>
  )
}
