import { useQuery } from '@tanstack/react-query'
import { applicationContract } from '../../../../src/oidc/clients/contract.ts'
import { grantContract } from '../../../../src/oidc/grants/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Notice } from '../../../shared/ui.tsx'
import { useConsole, usePermission } from '../../api.ts'
import { Facts, Panel } from '../../shared/facts.tsx'
import { useIsLive } from '../../shared/live.ts'
import { Named } from '../../shared/named.tsx'
import { Time } from '../../shared/time.tsx'
import { useRefusals } from '../panels/refusals.tsx'
import type { Application } from '../parts.tsx'

/**
 * How often the page asks the server for the first sign-in while the page is visible, in milliseconds. It also finds the first token of a
 * machine application, which records no event.
 */
const everyMs = 3000

/** The person who consented to the application first, with the consent's scopes. Undefined before the first consent. */
const useFirstConsent = (clientId: string) => {
  const { api } = useConsole()
  const isLive = useIsLive()
  const { data } = useQuery({
    ...api.query(grantContract, 'listGrants', { query: { clientId, limit: 1 } }),
    refetchInterval: ({ state }) => (isLive || (state.data?.grants.length ?? 0) > 0 ? false : everyMs),
  })
  return data?.grants[0]
}

const useFirstToken = (clientId: string) => {
  const { api } = useConsole()
  const { data } = useQuery({
    ...api.query(applicationContract, 'listSecrets', { params: { clientId } }),
    refetchInterval: everyMs,
  })
  return data?.secrets.find(({ lastUsedAt }) => lastUsedAt !== null)?.lastUsedAt ?? undefined
}

interface WaitingProps {
  readonly clientId: string
  readonly title: string
  readonly text: string
}

/**
 * Shows that the page waits for the first sign-in. After a refused sign-in it shows the reason in place of a spinner, because the
 * administrator has to act.
 */
const Waiting = ({ clientId, title, text }: WaitingProps) => (
  <div className="waiting">
    {useRefusals(clientId).length > 0 ? null : <span className="spinner waiting-spinner" aria-hidden="true" />}
    <div>
      <p className="waiting-title">{title}</p>
      <p className="waiting-text">{text}</p>
    </div>
  </div>
)

const OfPeople = ({ clientId }: { readonly clientId: string }) => {
  const { t, list } = useI18n()
  const consent = useFirstConsent(clientId)
  return (
    <div role="status">
      {consent === undefined ? (
        <Waiting clientId={clientId} title={t('clients.firstWaiting')} text={t('clients.firstWaitingText')} />
      ) : (
        <>
          <div className="panel-text">
            <Notice tone="good">{t('clients.firstSeen', { scopes: list(consent.scopes) })}</Notice>
          </div>
          <Facts
            rows={[
              [t('clients.firstWho'), <Named key="who" of={consent.user} />],
              [t('clients.firstWhen'), <Time key="when" at={consent.createdAt} exact />],
            ]}
          />
        </>
      )}
    </div>
  )
}

const OfMachine = ({ clientId }: { readonly clientId: string }) => {
  const { t } = useI18n()
  const usedAt = useFirstToken(clientId)
  return (
    <div role="status">
      {usedAt === undefined ? (
        <Waiting clientId={clientId} title={t('clients.firstWaitingToken')} text={t('clients.firstWaitingTokenText')} />
      ) : (
        <>
          <div className="panel-text">
            <Notice tone="good">{t('clients.firstSeenToken')}</Notice>
          </div>
          <Facts rows={[[t('clients.firstWhen'), <Time key="when" at={usedAt} exact />]]} />
        </>
      )}
    </div>
  )
}

/**
 * Waits for the first sign-in or token of a new application, and then says that the application works. Renders nothing for people without
 * the permission to read consents.
 */
export const FirstSignIn = ({ application }: { readonly application: Pick<Application, 'clientId' | 'type'> }) => {
  const { t } = useI18n()
  const { isAllowed } = usePermission('grants:read')
  const { clientId, type } = application
  if (type === 'machine')
    return (
      <Panel title={t('clients.firstToken')}>
        <OfMachine clientId={clientId} />
      </Panel>
    )
  return isAllowed ? (
    <Panel title={t('clients.first')}>
      <OfPeople clientId={clientId} />
    </Panel>
  ) : null
}
