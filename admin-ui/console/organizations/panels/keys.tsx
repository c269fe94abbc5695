import { Link } from 'react-router'
import { adminApiKeyContract } from '../../../../src/api-keys/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Badge } from '../../../shared/ui.tsx'
import { useConsole } from '../../api.ts'
import { PagedPanel } from '../../shared/paged-panel.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { Time } from '../../shared/time.tsx'
import type { Organization } from '../parts.tsx'

/** The API keys of the organization. Each links to its own screen. */
export const KeysPanel = ({ organization: { id } }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const query = { organizationId: id }
  return (
    <PagedPanel
      title={t('organizations.keys')}
      permission="api-keys:read"
      queryKey={[adminApiKeyContract.adminListApiKeys.path, id]}
      load={async (place) => {
        const { apiKeys, next, total } = await api.call(adminApiKeyContract, 'adminListApiKeys', {
          query: { ...query, limit: 10, ...place },
        })
        return { rows: apiKeys, next, total }
      }}
      idOf={(key) => key.id}
      row={({ id: keyId, name, prefix, enabled, lastUsedAt }) => (
        <span className="entry-text">
          <span className="entry-title">
            <Link to={`/admin/api-keys/${encodeURIComponent(keyId)}`}>{name}</Link>
            {enabled ? null : <Badge tone="warn">{t('organizations.keyOff')}</Badge>}
          </span>
          <span className="entry-detail">
            <code>{prefix}…</code> ·{' '}
            {lastUsedAt === null ? (
              t('organizations.neverUsed')
            ) : (
              <>
                {t('organizations.lastUsed')} <Time at={lastUsedAt} />
              </>
            )}
          </span>
        </span>
      )}
      empty={t('organizations.keysNone')}
      foot={<ShowCall target={adminApiKeyContract.adminListApiKeys} input={{ query }} isQuery />}
    />
  )
}
