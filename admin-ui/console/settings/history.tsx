import { useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Named } from '../shared/named.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useList } from '../shared/use-list.ts'
import { Changes } from './changes.tsx'
import { DryRunChanges, useDryRun } from './dry-run.tsx'
import { useSettings } from './use-settings.ts'
import './settings.css'

type Version = Answer<WireApi<typeof settingsContract>['listSettingsVersions']>['versions'][number]

const RevertDialog = ({ to, onClose }: { readonly to: number; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data: answer } = useSettings()
  const revert = useChange(settingsContract, 'revertSettings', t('setting.reverted', { version: to }))
  const input = { body: { version: to } }
  const dryRun = useDryRun(['revert', to], () =>
    api.call(settingsContract, 'revertSettings', { body: { ...input.body, dryRun: true } }),
  )
  return (
    <Confirm
      title={t('setting.revertTitle', { version: to })}
      consequences={[]}
      action={t('setting.revertAction')}
      isDangerous={dryRun.lowersSecurity}
      reason="optional"
      blocked={dryRun.blocked}
      foot={<ShowCall target={settingsContract.revertSettings} input={input} />}
      onConfirm={(reason) => revert({ ...input, reason, ifMatch: answer && api.etagOf(answer) })}
      onClose={onClose}
    >
      <DryRunChanges of={dryRun} />
    </Confirm>
  )
}

const VersionPeek = ({ version: { version, changes, reason, changedBy, changedAt } }: { readonly version: Version }) => {
  const { t } = useI18n()
  const [isReverting, setIsReverting] = useState(false)
  return (
    <>
      <div className="peek-part">
        <p>
          <Time at={changedAt} exact /> · <Named of={changedBy} />
        </p>
        {reason === null ? null : <p className="break">{reason}</p>}
        <Changes changes={changes} />
      </div>
      <ActionButton permission="settings:update" onClick={() => setIsReverting(true)}>
        {t('setting.revert')}
      </ActionButton>
      {isReverting ? <RevertDialog to={version - 1} onClose={() => setIsReverting(false)} /> : null}
    </>
  )
}

const useColumns = (): readonly Column<Version>[] => {
  const { t, list } = useI18n()
  return [
    { id: 'version', label: t('setting.versionColumn'), cell: ({ version }) => t('setting.version', { version }) },
    { id: 'when', label: t('setting.when'), cell: ({ changedAt }) => <Time at={changedAt} /> },
    { id: 'who', label: t('setting.who'), cell: ({ changedBy }) => <Named of={changedBy} /> },
    {
      id: 'keys',
      label: t('setting.keys'),
      cell: ({ changes, revertedTo }) => (
        <>
          <span className="break">{list(changes.map(({ key }) => key))}</span>{' '}
          {revertedTo === null ? null : <Badge tone="plain">{t('setting.revertedTo', { version: revertedTo })}</Badge>}
        </>
      ),
    },
    { id: 'reason', label: t('console.confirm.reason'), isMinor: true, cell: ({ reason }) => reason ?? '–' },
  ]
}

/** The screen with all changes of settings: who made them, when and why. A button reverts a change. */
export const SettingsHistoryScreen = () => {
  const { t } = useI18n()
  const list = useList({
    contract: settingsContract,
    name: 'listSettingsVersions',
    rows: 'versions',
    filters: [],
    isCounted: true,
  })
  return (
    <Page
      title={t('setting.history')}
      lead={t('setting.historyLead')}
      back={{ to: '/admin/settings', text: t('console.screen.settings') }}
    >
      <DataTable
        label={t('setting.history')}
        list={list}
        columns={useColumns()}
        idOf={({ version }) => String(version)}
        nameOf={({ version }) => t('setting.version', { version })}
        peek={(version) => <VersionPeek version={version} />}
        empty={<Empty icon="clock" title={t('setting.historyEmpty')} text={t('setting.historyEmptyText')} />}
        command={['config', 'history']}
      />
    </Page>
  )
}
