import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { styleSheetOf } from '../../../../src/brand/rules/style-sheet.ts'
import { settingsContract } from '../../../../src/settings/contract.ts'
import type { Settings } from '../../../shared/api.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { CopyField } from '../../shared/copy-field.tsx'
import { Panel } from '../../shared/facts.tsx'
import { Failure } from '../../shared/failure.tsx'
import { Page, PageSkeleton } from '../../shared/page.tsx'
import type { Setting } from '../setting-values.ts'
import { isLocked } from '../setting-values.ts'
import { Contrast } from './contrast.tsx'
import type { Draft } from './draft.ts'
import { draftOf, isColor, settingsWith, variablesOfDraft, yamlOfDraft } from './draft.ts'
import { BrandForm } from './form.tsx'
import { Previews } from './previews.tsx'
import '../ways-in.css'
import './brand.css'

const TakeOver = ({ draft, locked }: { readonly draft: Draft; readonly locked: readonly string[] }) => {
  const { t, list } = useI18n()
  return (
    <Panel title={t('ways.takeOver')}>
      <div className="panel-waiting">
        <p>{t('ways.takeOverText')}</p>
        {locked.length === 0 ? null : <p>{t('ways.takeOverLocked', { keys: list(locked) })}</p>}
        <CopyField label={t('ways.yaml')} value={yamlOfDraft(draft)} isBlock />
        <CopyField label={t('ways.variables')} value={variablesOfDraft(draft)} isBlock />
        <CopyField label={t('ways.checkCommand')} value="gatehouse check-config" />
      </div>
    </Panel>
  )
}

const Screen = ({ settings, pages }: { readonly settings: readonly Setting[]; readonly pages: Settings }) => {
  const { t } = useI18n()
  const inEffect = draftOf(settings, pages)
  const [change, setChange] = useState<Partial<Draft>>({})
  const draft = { ...inEffect, ...change }
  const { color, radius } = draft
  const hasFont = settings.some(({ key, isSet }) => key === 'brand.font' && isSet)
  const style = {
    ...{ color: isColor(color) ? color.toLowerCase() : undefined, radius },
    fontUrl: hasFont ? '/brand/font.woff2' : undefined,
  }
  return (
    <Page title={t('console.screen.brand')} lead={t('ways.brandLead')}>
      <BrandForm
        draft={draft}
        isChanged={Object.keys(change).length > 0}
        onChange={(next) => setChange((before) => ({ ...before, ...next }))}
        onReset={() => setChange({})}
      />
      <Previews settings={settingsWith(pages, draft)} css={styleSheetOf(style)} color={style.color} />
      <div className="columns">
        <div className="column">{isColor(color) ? <Contrast color={color.toLowerCase()} /> : <NoColor />}</div>
        <div className="column">
          <TakeOver
            draft={draft}
            locked={settings.filter((one) => one.key.startsWith('brand.') && isLocked(one)).map(({ key }) => key)}
          />
        </div>
      </div>
    </Page>
  )
}

const NoColor = () => {
  const { t } = useI18n()
  return (
    <Panel title={t('ways.contrast')}>
      <p className="panel-note">{t('ways.noColor')}</p>
    </Panel>
  )
}

/** The brand, tried on the pages themselves without changing anything, and the words of the configuration that make it the brand. */
export const BrandScreen = () => {
  const { api } = useConsole()
  const settings = useQuery(api.query(settingsContract, 'listSettings'))
  const pages = useQuery({ queryKey: ['settings of pages'], queryFn: () => api.hosted.health.settings() })
  if (settings.data !== undefined && pages.data !== undefined)
    return <Screen settings={settings.data.settings} pages={pages.data} />
  const error = settings.error ?? pages.error
  if (error === null) return <PageSkeleton />
  return <Failure error={error} isPage onRetry={() => void Promise.all([settings.refetch(), pages.refetch()])} />
}
