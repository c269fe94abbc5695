import { useEffect } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { Redirect } from '../skeleton.tsx'
import { holdRedirect } from '../social/redirect.ts'

/** The page after the deletion of an account, at once or through the mailed link. The address has an error code if the link is invalid. */
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
