import { useState } from 'react'
import type { WireApi } from '../../../../src/http/contract.ts'
import { grantContract } from '../../../../src/oidc/grants/contract.ts'
import type { Answer } from '../../../shared/api.ts'
import { Text, useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { Named } from '../../shared/named.tsx'
import { PagedPanel } from '../../shared/paged-panel.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { Time } from '../../shared/time.tsx'
import { useChange } from '../../shared/use-change.ts'
import type { Application } from '../parts.tsx'
import { Words } from '../parts.tsx'

type Grant = Answer<WireApi<typeof grantContract>['listGrants']>['grants'][number]

const RemoveDialog = ({ grant, onClose }: { readonly grant: Grant; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const end = useChange(grantContract, 'endGrant', t('clients.removed'))
  const params = { grantId: grant.id }
  return (
    <Confirm
      title={t('clients.removeTitle', { name: grant.clientName })}
      consequences={[t('clients.removeFollows'), t('clients.removeAgain')]}
      action={t('clients.remove')}
      reason="optional"
      onConfirm={(reason) => end({ params, reason })}
      onClose={onClose}
      foot={<ShowCall target={grantContract.endGrant} input={{ params }} />}
    />
  )
}

/** The people who have consented to the application. Each consent has a button that revokes it. */
export const PeoplePanel = ({ application }: { readonly application: Application }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [removed, setRemoved] = useState<Grant>()
  const { clientId, skipConsent } = application
  return (
    <>
      <PagedPanel
        title={t('clients.people')}
        permission="grants:read"
        queryKey={[grantContract.listGrants.path, 'of application', clientId]}
        load={async (place) => {
          const { grants, next, total } = await api.call(grantContract, 'listGrants', {
            query: { clientId, limit: 10, ...place },
          })
          return { rows: grants, next, total }
        }}
        idOf={({ id }) => id}
        row={(grant) => (
          <>
            <div className="entry-text">
              <p className="entry-title">
                <Named of={grant.user} />
                <span className="entry-aside">
                  <Text id="clients.agreed" values={{ time: <Time at={grant.updatedAt} /> }} />
                </span>
              </p>
              <Words words={grant.scopes} />
            </div>
            <ActionButton permission="grants:delete" onClick={() => setRemoved(grant)}>
              {t('clients.remove')}
            </ActionButton>
          </>
        )}
        empty={t(skipConsent ? 'clients.peopleSkipped' : 'clients.peopleNone')}
        foot={<ShowCall target={grantContract.listGrants} input={{ query: { clientId } }} isQuery />}
      />
      {removed === undefined ? null : <RemoveDialog grant={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}
