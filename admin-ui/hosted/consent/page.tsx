import { use } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { pageUrl } from '../return-url.ts'
import { Redirect } from '../skeleton.tsx'
import { Decision } from './decision.tsx'
import '../more.css'

export const ConsentPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const interaction = use(resources.interaction())
  const asking = typeof interaction === 'string' ? undefined : interaction
  useTitle(asking === undefined ? t('error.restart.title') : t('consent.title', { client: asking.client.name }))
  if (asking === undefined) return <InteractionGone />
  if (asking.prompt !== 'consent' || asking.user === null) return <Redirect to={pageUrl('/sign-in', query)} kind="consent" />
  return <Decision interaction={asking} user={asking.user} />
}
