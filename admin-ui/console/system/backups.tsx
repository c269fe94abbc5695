import { notifications } from '@mantine/notifications'
import { useEffect, useEffectEvent, useState } from 'react'
import { backupContract } from '../../../src/backup/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import { SettingsPanel } from '../settings/panel.tsx'
import { WithSettings } from '../settings/settings-page.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { CopyField } from '../shared/copy-field.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { useProblem } from '../shared/failure.tsx'
import { FilterSelect } from '../shared/filters.tsx'
import { Id } from '../shared/id.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useList } from '../shared/use-list.ts'

type Backup = Answer<WireApi<typeof backupContract>['adminGetBackup']>

const statuses = ['pending', 'running', 'made', 'failed', 'deleted'] as const
/** How often the list is requested while a backup is being made, in milliseconds. */
const againMs = 2_000

const StatusBadge = ({ status }: Pick<Backup, 'status'>) => {
  const { t } = useI18n()
  const tones = { pending: 'plain', running: 'new', made: 'good', failed: 'bad', deleted: 'plain' } as const
  return <Badge tone={tones[status]}>{t(`system.backup.${status}`)}</Badge>
}

const useSize = () => {
  const { locale } = useI18n()
  const megabytes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 2 })
  return (bytes: number) => megabytes.format(bytes / 1_000_000)
}

const useColumns = (): readonly Column<Backup>[] => {
  const { t } = useI18n()
  const size = useSize()
  return [
    { id: 'startedAt', label: t('system.startedAt'), sort: 'startedAt', cell: ({ startedAt }) => <Time at={startedAt} /> },
    { id: 'status', label: t('system.state'), cell: ({ status }) => <StatusBadge status={status} /> },
    { id: 'reason', label: t('system.cause'), isMinor: true, cell: ({ reason }) => t(`system.cause.${reason}`) },
    { id: 'bytes', label: t('system.size'), cell: ({ bytes }) => (bytes === null ? '–' : size(bytes)) },
    { id: 'error', label: t('system.error'), isMinor: true, cell: ({ error }) => <span className="break">{error ?? '–'}</span> },
  ]
}

const Download = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const problem = useProblem()
  const [isWorking, setIsWorking] = useState(false)
  const target = backupContract.adminDownloadBackup
  const download = async () => {
    setIsWorking(true)
    await api
      .saveFile(target, { id })
      .catch((error: unknown) => notifications.show({ message: problem(error), color: 'red', role: 'alert' }))
    setIsWorking(false)
  }
  return (
    <>
      <ActionButton permission="backups:download" icon="download" working={isWorking} onClick={() => void download()}>
        {t('system.download')}
      </ActionButton>
      <ShowCall target={target} input={{ params: { id } }} />
    </>
  )
}

const BackupPeek = ({ backup }: { readonly backup: Backup }) => {
  const { t, number } = useI18n()
  const size = useSize()
  const { id, endedAt, file, rows, sha256, hasKeys, error } = backup
  return (
    <>
      <Facts
        rows={[
          [t('system.state'), <StatusBadge key="status" status={backup.status} />],
          [t('system.cause'), t(`system.cause.${backup.reason}`)],
          [t('system.startedAt'), <Time key="started" at={backup.startedAt} exact />],
          [t('system.endedAt'), endedAt === null ? undefined : <Time key="ended" at={endedAt} exact />],
          [t('system.error'), error ?? undefined],
          [t('system.file'), file === null ? undefined : <code key="file">{file}</code>],
          [t('system.size'), backup.bytes === null ? undefined : size(backup.bytes)],
          [t('system.rows'), rows === null ? undefined : number(rows)],
          [t('system.hasKeys'), hasKeys === null ? undefined : t(hasKeys ? 'console.yes' : 'console.no')],
          [t('system.sha256'), sha256 === null ? undefined : <Id key="hash" id={sha256} />],
          [t('system.id'), <Id key="id" id={id} />],
        ]}
      />
      {backup.status === 'made' ? <Download id={id} /> : null}
    </>
  )
}

const Make = ({ onClose }: { readonly onClose: () => void }) => {
  const { t } = useI18n()
  const make = useChange(backupContract, 'adminCreateBackup', t('system.backupAsked'))
  return (
    <Confirm
      title={t('system.backupTitle')}
      consequences={[t('system.backupWhere'), t('system.backupLoad'), t('system.backupRetention')]}
      action={t('system.makeBackup')}
      isDangerous={false}
      reason="optional"
      foot={<ShowCall target={backupContract.adminCreateBackup} input={{ body: {} }} command={['backup']} />}
      onConfirm={(reason) => make({ body: {}, reason })}
      onClose={onClose}
    />
  )
}

/** When backups are made, where they are stored and how many of them are kept. */
const Schedule = () => {
  const { t } = useI18n()
  const { isAllowed } = usePermission('settings:read')
  if (!isAllowed) return null
  return (
    <WithSettings isPage={false}>
      <SettingsPanel
        title={t('system.backupSchedule')}
        names={[
          ...['backup.directory', 'backup.passphrase', 'backup.withoutKeys', 'backup.everyHours', 'backup.at'],
          ...['backup.keep.count', 'backup.keep.days'],
        ]}
      />
    </WithSettings>
  )
}

/** The commands that restore a backup. The console cannot restore one, because a running instance cannot replace its own database. */
const RestoreSteps = () => {
  const { t } = useI18n()
  return (
    <Panel title={t('system.restore')}>
      <ol className="restore-steps">
        <li>{t('system.restore.download')}</li>
        <li>{t('system.restore.stop')}</li>
        <li>{t('system.restore.empty')}</li>
        <li>
          {t('system.restore.run')}
          <CopyField label={t('console.call.command')} value="gatehouse restore backup.jsonl.gz" />
        </li>
        <li>{t('system.restore.start')}</li>
      </ol>
    </Panel>
  )
}

/** The screen of the backups that were made, are being made, or failed. It follows the progress of a backup that is being made. */
export const BackupsScreen = () => {
  const { t } = useI18n()
  const [isMaking, setIsMaking] = useState(false)
  const list = useList({
    contract: backupContract,
    name: 'adminListBackups',
    rows: 'backups',
    filters: ['status'],
    isCounted: true,
  })
  const isUnderWay = list.rows?.some(({ status }) => status === 'pending' || status === 'running') === true
  const again = useEffectEvent(() => list.retry())
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setInterval(() => again(), againMs)
    return () => clearInterval(timer)
  }, [isUnderWay])
  return (
    <Page
      title={t('system.backups')}
      lead={t('system.backupsLead')}
      actions={
        <ActionButton
          permission="backups:create"
          kind="primary"
          blocked={isUnderWay ? t('system.backupUnderWay') : undefined}
          onClick={() => setIsMaking(true)}
        >
          {t('system.makeBackup')}
        </ActionButton>
      }
    >
      <div className="filters">
        <FilterSelect
          list={list}
          name="status"
          label={t('system.state')}
          options={statuses.map((status) => [status, t(`system.backup.${status}`)])}
        />
      </div>
      <DataTable
        label={t('system.backups')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ status }) => t(`system.backup.${status}`)}
        peek={(backup) => <BackupPeek backup={backup} />}
        empty={<Empty icon="download" title={t('system.backupsEmpty')} text={t('system.backupsEmptyText')} />}
      />
      <Schedule />
      <RestoreSteps />
      {isMaking ? <Make onClose={() => setIsMaking(false)} /> : null}
    </Page>
  )
}
