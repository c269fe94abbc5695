import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { onwardFrom } from '../continuation.ts'
import { Redirect } from '../redirect.tsx'
import { Said } from '../said.tsx'

/** Where the link of a verification mail leads, with a code when it no longer works. */
export const VerifiedPage = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  useTitle(t('verified.title'))
  if (query.has('error')) return <Redirect to={`/error?${query}`} kind="note" />
  return (
    <Said icon="check" title={t('verified.title')} text={t('verified.text')}>
      <div className="actions">
        <LinkButton href={onwardFrom(query)}>{t('common.continue')}</LinkButton>
      </div>
    </Said>
  )
}
