import type { WireApi } from '../../../src/http/contract.ts'
import { mailContract } from '../../../src/mail/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterSelect, SearchBox } from '../shared/filters.tsx'
import { Id } from '../shared/id.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useList } from '../shared/use-list.ts'
import { useAtOnce } from './use-at-once.ts'

type Mail = Answer<WireApi<typeof mailContract>['retryMail']>

const states = ['pending', 'sent', 'failed'] as const

const StateBadge = ({ state }: Pick<Mail, 'state'>) => {
  const { t } = useI18n()
  const tones = { pending: 'new', sent: 'good', failed: 'bad' } as const
  return <Badge tone={tones[state]}>{t(`mail.state.${state}`)}</Badge>
}

const useColumns = (): readonly Column<Mail>[] => {
  const { t } = useI18n()
  return [
    { id: 'address', label: t('mail.address'), cell: ({ address }) => <span className="break">{address}</span> },
    { id: 'kind', label: t('mail.kind'), cell: ({ kind }) => <code>{kind}</code> },
    { id: 'state', label: t('mail.state'), cell: ({ state }) => <StateBadge state={state} /> },
    {
      id: 'error',
      label: t('mail.error'),
      isMinor: true,
      cell: ({ lastError }) => <span className="break">{lastError ?? '–'}</span>,
    },
    { id: 'createdAt', label: t('mail.createdAt'), sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

const MailPeek = ({ mail }: { readonly mail: Mail }) => {
  const { t, number } = useI18n()
  const { id, kind, address, state, attempts, createdAt, nextAttemptAt, lastError } = mail
  const retry = useAtOnce(mailContract, 'retryMail', t('mail.retried', { address }))
  const input = { params: { id } }
  return (
    <>
      <Facts
        rows={[
          [t('mail.address'), address],
          [t('mail.kind'), <code key="kind">{kind}</code>],
          [t('mail.state'), <StateBadge key="state" state={state} />],
          [t('mail.attempts'), number(attempts)],
          [t('mail.error'), lastError ?? undefined],
          [t('mail.createdAt'), <Time key="created" at={createdAt} exact />],
          [t('mail.nextAttempt'), nextAttemptAt === null ? undefined : <Time key="next" at={nextAttemptAt} exact />],
          [t('mail.id'), <Id key="id" id={id} />],
        ]}
      />
      <ActionButton
        permission="mails:update"
        icon="refresh"
        blocked={state === 'failed' ? undefined : t('mail.onlyFailed')}
        working={retry.isWorking}
        onClick={() => retry.start(input)}
      >
        {t('mail.retry')}
      </ActionButton>
      <ShowCall target={mailContract.retryMail} input={{ ...input, body: {} }} command={['retry-mail', id]} />
    </>
  )
}

/** The outbox: sent, waiting and failed mails, with reasons. */
export const MailsScreen = () => {
  const { t } = useI18n()
  const list = useList({
    contract: mailContract,
    name: 'listMails',
    rows: 'mails',
    filters: ['address', 'state', 'kind', 'createdSince', 'createdUntil'],
    isCounted: true,
  })
  return (
    <Page title={t('mail.mails')} lead={t('mail.mailsLead')}>
      <div className="filters">
        <SearchBox list={list} name="address" label={t('mail.searchAddress')} />
        <FilterSelect
          list={list}
          name="state"
          label={t('mail.state')}
          options={states.map((state) => [state, t(`mail.state.${state}`)])}
        />
      </div>
      <DataTable
        label={t('mail.mails')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ address }) => address}
        peek={(mail) => <MailPeek mail={mail} />}
        bulk={() => import('./bulk.tsx').then(({ MailBulk }) => MailBulk)}
        empty={<Empty icon="mail" title={t('mail.mailsEmpty')} text={t('mail.mailsEmptyText')} />}
        command={['list-mails']}
      />
    </Page>
  )
}
