import { Link } from 'react-router'
import type { WireApi } from '../../../src/http/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { SettingField } from '../settings/field.tsx'
import { settingsHistoryPath } from '../settings/paths.ts'
import { WithSettings } from '../settings/settings-page.tsx'
import { CopyField } from '../shared/copy-field.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterSelect, SearchBox } from '../shared/filters.tsx'
import { Page } from '../shared/page.tsx'
import { useServerWords } from '../shared/server-words.tsx'
import { useList } from '../shared/use-list.ts'
import { textKeyOf } from '../ways-in/setting-values.ts'
import { yamlOf } from './yaml.ts'
import '../styles/system.css'

type Setting = Answer<WireApi<typeof settingsContract>['listSettings']>['settings'][number]

const sources = ['default', 'database', 'file', 'environment', 'flag'] as const

const Value = ({ setting: { isSecret, isSet, value } }: { readonly setting: Setting }) => {
  const { t } = useI18n()
  if (isSecret) return t(isSet ? 'system.secretSet' : 'system.secretUnset')
  return value === null ? t('system.notSet') : <code className="break">{JSON.stringify(value)}</code>
}

const Source = ({ source }: Pick<Setting, 'source'>) => {
  const { t } = useI18n()
  return <Badge tone={source === 'default' ? 'plain' : 'new'}>{t(`system.source.${source}`)}</Badge>
}

const useColumns = (): readonly Column<Setting>[] => {
  const { t } = useI18n()
  return [
    { id: 'key', label: t('system.settingKey'), cell: ({ key }) => <code className="break">{key}</code> },
    { id: 'value', label: t('system.value'), cell: (setting) => <Value setting={setting} /> },
    {
      id: 'default',
      label: t('system.default'),
      isMinor: true,
      cell: ({ default: value }) => (value === null ? '–' : <code className="break">{JSON.stringify(value)}</code>),
    },
    { id: 'source', label: t('system.sourceLabel'), cell: ({ source }) => <Source source={source} /> },
  ]
}

const SettingPeek = ({ setting }: { readonly setting: Setting }) => {
  const { t } = useI18n()
  const wordsOf = useServerWords()
  const { key, description, type, source, from, variable, isSecret, value } = setting
  return (
    <>
      <SettingField name={key} label={t('setting.value')} />
      <Facts
        rows={[
          [t('system.meaning'), <span key="meaning">{wordsOf(textKeyOf(key), {}, description)}</span>],
          [t('system.type'), <code key="type">{type}</code>],
          [t('system.value'), <Value key="value" setting={setting} />],
          [
            t('system.default'),
            setting.default === null ? undefined : <code key="default">{JSON.stringify(setting.default)}</code>,
          ],
          [t('system.sourceLabel'), <Source key="source" source={source} />],
          [t('system.from'), from === null ? undefined : <code key="from">{from}</code>],
          [t('system.variable'), <code key="variable">{variable}</code>],
        ]}
      />
      {isSecret ? null : (
        <div className="peek-part">
          <CopyField label={t('system.yaml')} value={yamlOf(key, value)} isBlock />
        </div>
      )}
    </>
  )
}

/** The screen with the values of all settings on the node that answers. To change a value, the person has to change it at its source. */
export const SettingsScreen = () => {
  const { t } = useI18n()
  const list = useList({ contract: settingsContract, name: 'listSettings', rows: 'settings', filters: ['search', 'source'] })
  return (
    <WithSettings>
      <Page
        title={t('system.settings')}
        lead={t('system.settingsLead')}
        actions={
          <Link className="button button-secondary" to={settingsHistoryPath}>
            {t('setting.historyLink')}
          </Link>
        }
      >
        <div className="filters">
          <SearchBox list={list} label={t('system.searchSetting')} />
          <FilterSelect
            list={list}
            name="source"
            label={t('system.sourceLabel')}
            options={sources.map((source) => [source, t(`system.source.${source}`)])}
          />
        </div>
        <DataTable
          label={t('system.settings')}
          list={list}
          columns={useColumns()}
          idOf={({ key }) => key}
          nameOf={({ key }) => key}
          peek={(setting) => <SettingPeek setting={setting} />}
          empty={<Empty icon="device" title={t('console.table.none')} text={t('console.table.noneText')} />}
        />
      </Page>
    </WithSettings>
  )
}
