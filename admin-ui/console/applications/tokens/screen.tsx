import { useState } from 'react'
import { initialAccessTokenContract } from '../../../../src/oidc/initial-access-tokens/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Badge } from '../../../shared/ui.tsx'
import { ActionButton } from '../../shared/action-button.tsx'
import type { Column } from '../../shared/data-table.tsx'
import { DataTable } from '../../shared/data-table.tsx'
import { Empty } from '../../shared/empty.tsx'
import { Facts } from '../../shared/facts.tsx'
import { Id } from '../../shared/id.tsx'
import { Page } from '../../shared/page.tsx'
import { Time } from '../../shared/time.tsx'
import { useList } from '../../shared/use-list.ts'
import { Words } from '../parts.tsx'
import type { Token } from './dialogs.tsx'
import { CreateToken, RevokeToken, TokenShown } from './dialogs.tsx'
import '../../styles/system.css'

const TokenState = ({ state }: Pick<Token, 'state'>) => {
  const { t } = useI18n()
  return <Badge tone={state === 'active' ? 'good' : 'warn'}>{t(`clients.tokenState.${state}`)}</Badge>
}

const useColumns = (): readonly Column<Token>[] => {
  const { t } = useI18n()
  return [
    {
      id: 'name',
      label: t('clients.tokenName'),
      cell: ({ name, hint }) => (
        <span className="who-text">
          {name}
          <code className="who-detail">{hint}…</code>
        </span>
      ),
    },
    { id: 'state', label: t('clients.state'), cell: ({ state }) => <TokenState state={state} /> },
    {
      id: 'used',
      label: t('clients.tokenUsed'),
      cell: ({ usedClients, maxClients }) => t('clients.tokenUsedOf', { used: String(usedClients), max: String(maxClients) }),
    },
    { id: 'expiresAt', label: t('clients.tokenExpires'), isMinor: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { id: 'createdAt', label: t('clients.tokenCreated'), sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

const TokenPeek = ({ token, onRevoke }: { readonly token: Token; readonly onRevoke: () => void }) => {
  const { t } = useI18n()
  const { types, scopes, redirectHosts, lastUsedAt } = token
  const any = t('clients.tokenAny')
  return (
    <>
      <Facts
        rows={[
          [t('clients.state'), <TokenState key="state" state={token.state} />],
          [t('clients.tokenTypes'), types.map((type) => t(`clients.kind.${type}`)).join(', ')],
          [t('clients.tokenHosts'), redirectHosts === null ? any : <Words key="hosts" words={redirectHosts} />],
          [t('clients.tokenScopes'), scopes === null ? any : <Words key="scopes" words={scopes} />],
          [
            t('clients.tokenUsed'),
            <span key="used">
              {t('clients.tokenUsedOf', { used: String(token.usedClients), max: String(token.maxClients) })}{' '}
              {lastUsedAt === null ? null : <Time at={lastUsedAt} />}
            </span>,
          ],
          [t('clients.tokenExpires'), <Time key="ends" at={token.expiresAt} exact />],
          [t('clients.tokenCreated'), <Time key="created" at={token.createdAt} exact />],
          [t('clients.tokenId'), <Id key="id" id={token.id} />],
        ]}
      />
      {token.state === 'active' ? (
        <div className="peek-part">
          <ActionButton permission="clients:update" onClick={onRevoke}>
            {t('clients.tokenRevoke')}
          </ActionButton>
        </div>
      ) : null}
    </>
  )
}

/** The list of initial access tokens, with which programs register applications. */
export const InitialAccessTokensScreen = () => {
  const { t } = useI18n()
  const [isCreating, setIsCreating] = useState(false)
  const [shown, setShown] = useState<string>()
  const [revoking, setRevoking] = useState<Token>()
  const list = useList({
    contract: initialAccessTokenContract,
    name: 'listInitialAccessTokens',
    rows: 'tokens',
    filters: [],
    isCounted: true,
  })
  return (
    <Page
      title={t('clients.tokens')}
      lead={t('clients.tokensLead')}
      actions={
        <ActionButton permission="clients:create" kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
          {t('clients.tokenNew')}
        </ActionButton>
      }
    >
      <DataTable
        label={t('clients.tokens')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        peek={(token) => <TokenPeek token={token} onRevoke={() => setRevoking(token)} />}
        empty={<Empty icon="key" title={t('clients.tokensEmpty')} text={t('clients.tokensEmptyText')} />}
        command={['list-initial-access-tokens']}
      />
      {isCreating ? <CreateToken onMade={setShown} onClose={() => setIsCreating(false)} /> : null}
      {shown === undefined ? null : <TokenShown value={shown} onClose={() => setShown(undefined)} />}
      {revoking === undefined ? null : <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  )
}
