import { useI18n } from '../../../shared/text.tsx'
import { Facts } from '../../shared/facts.tsx'
import { Id } from '../../shared/id.tsx'
import { Time } from '../../shared/time.tsx'
import { Words } from '../parts.tsx'
import { type Api, callerLine } from './lines.ts'

/** A panel with the properties of an API. */
export const ApiFacts = ({ api }: { readonly api: Api }) => {
  const { t } = useI18n()
  return (
    <Facts
      rows={[
        [t('apis.identifier'), <Id key="identifier" id={api.identifier} />],
        [t('apis.format'), t(`apis.format.${api.tokenFormat}`)],
        [t('apis.alg'), api.tokenFormat === 'jwt' ? api.signingAlg : undefined],
        [t('apis.ttl'), String(api.tokenTtlSeconds)],
        [t('apis.access'), t(`apis.access.${api.access}`)],
        [t('apis.clients'), api.clients.length === 0 ? undefined : <Words key="clients" words={api.clients.map(callerLine)} />],
        [t('apis.id'), <Id key="id" id={api.id} />],
        [t('clients.createdAt'), <Time key="created" at={api.createdAt} exact />],
      ]}
    />
  )
}
