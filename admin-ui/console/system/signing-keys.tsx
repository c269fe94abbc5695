import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { signingKeyContract } from '../../../src/oidc/keys/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts } from '../shared/facts.tsx'
import { Id } from '../shared/id.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useList } from '../shared/use-list.ts'

type SigningKey = Answer<WireApi<typeof signingKeyContract>['listSigningKeys']>['keys'][number]

const StateBadge = ({ state }: Pick<SigningKey, 'state'>) => {
  const { t } = useI18n()
  const tones = { next: 'new', signing: 'good', retiring: 'plain', retired: 'plain' } as const
  return <Badge tone={tones[state]}>{t(`system.key.${state}`)}</Badge>
}

const useColumns = (): readonly Column<SigningKey>[] => {
  const { t } = useI18n()
  return [
    { id: 'kid', label: t('system.kid'), cell: ({ kid }) => <Id id={kid} /> },
    { id: 'alg', label: t('system.algorithm'), cell: ({ alg }) => <code>{alg}</code> },
    { id: 'state', label: t('system.state'), cell: ({ state }) => <StateBadge state={state} /> },
    { id: 'signsFrom', label: t('system.signsFrom'), isMinor: true, cell: ({ signsFrom }) => <Time at={signsFrom} /> },
    {
      id: 'signsUntil',
      label: t('system.signsUntil'),
      cell: ({ signsUntil }) => (signsUntil === null ? '–' : <Time at={signsUntil} />),
    },
    {
      id: 'retiresAt',
      label: t('system.retiresAt'),
      isMinor: true,
      cell: ({ retiresAt }) => (retiresAt === null ? '–' : <Time at={retiresAt} />),
    },
  ]
}

const Rotate = ({ onClose }: { readonly onClose: () => void }) => {
  const { t } = useI18n()
  const rotate = useChange(signingKeyContract, 'rotateSigningKeys', t('system.rotated'))
  return (
    <Confirm
      title={t('system.rotateTitle')}
      consequences={[t('system.rotatePublished'), t('system.rotateFormer'), t('system.rotateCaches')]}
      action={t('system.rotate')}
      isDangerous={false}
      reason="optional"
      foot={<ShowCall target={signingKeyContract.rotateSigningKeys} input={{ body: {} }} command={['rotate-jwks']} />}
      onConfirm={(reason) => rotate({ reason })}
      onClose={onClose}
    />
  )
}

const Withdraw = ({ onClose }: { readonly onClose: () => void }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data } = useQuery(api.query(signingKeyContract, 'listSigningKeys', {}))
  const revoke = useChange(signingKeyContract, 'revokeSigningKeys', t('system.withdrawn'))
  return (
    <Confirm
      title={t('system.withdrawTitle')}
      consequences={[
        t('system.withdrawNow'),
        t('system.withdrawCaches', { seconds: data?.cachedSeconds ?? '…' }),
        t('system.withdrawUntil'),
      ]}
      action={t('system.withdraw')}
      reason="optional"
      foot={<ShowCall target={signingKeyContract.revokeSigningKeys} input={{ body: {} }} command={['rotate-jwks', '--leaked']} />}
      onConfirm={(reason) => revoke({ reason })}
      onClose={onClose}
    />
  )
}

/** The screen of the keys that sign tokens. It can rotate them. */
export const SigningKeysScreen = () => {
  const { t } = useI18n()
  const [asking, setAsking] = useState<'rotate' | 'withdraw'>()
  const list = useList({ contract: signingKeyContract, name: 'listSigningKeys', rows: 'keys', filters: [] })
  return (
    <Page
      title={t('system.signingKeys')}
      lead={t('system.signingKeysLead')}
      actions={
        <>
          <ActionButton permission="signing-keys:update" icon="alert" onClick={() => setAsking('withdraw')}>
            {t('system.withdraw')}
          </ActionButton>
          <ActionButton permission="signing-keys:update" icon="refresh" onClick={() => setAsking('rotate')}>
            {t('system.rotate')}
          </ActionButton>
        </>
      }
    >
      <DataTable
        label={t('system.signingKeys')}
        list={list}
        columns={useColumns()}
        idOf={({ kid }) => kid}
        nameOf={({ alg }) => alg}
        peek={(key) => (
          <Facts
            rows={[
              [t('system.kid'), <Id key="kid" id={key.kid} />],
              [t('system.algorithm'), <code key="alg">{key.alg}</code>],
              [t('system.state'), <StateBadge key="state" state={key.state} />],
              [t('system.createdAt'), <Time key="created" at={key.createdAt} exact />],
              [t('system.signsFrom'), <Time key="signs" at={key.signsFrom} exact />],
              [t('system.signsUntil'), key.signsUntil === null ? undefined : <Time key="until" at={key.signsUntil} exact />],
              [t('system.retiresAt'), key.retiresAt === null ? undefined : <Time key="retires" at={key.retiresAt} exact />],
            ]}
          />
        )}
        empty={<Empty icon="key" title={t('system.keysEmpty')} text={t('system.keysEmptyText')} />}
        command={['list-keys']}
      />
      {asking === 'rotate' ? <Rotate onClose={() => setAsking(undefined)} /> : null}
      {asking === 'withdraw' ? <Withdraw onClose={() => setAsking(undefined)} /> : null}
    </Page>
  )
}
