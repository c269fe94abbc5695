import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { brandImageContract } from '../../../../src/brand/contract.ts'
import { styleSheetOf } from '../../../../src/brand/rules/style-sheet.ts'
import type { Settings } from '../../../shared/api.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { settingsHistoryPath } from '../../settings/paths.ts'
import { ReviewDialog } from '../../settings/review.tsx'
import { useSettings } from '../../settings/use-settings.ts'
import { Panel } from '../../shared/facts.tsx'
import { Failure, useProblem } from '../../shared/failure.tsx'
import { Page, PageSkeleton } from '../../shared/page.tsx'
import { Contrast } from './contrast.tsx'
import type { Draft } from './draft.ts'
import { changeOf, draftOf, isColor, settingsWith } from './draft.ts'
import { BrandForm } from './form.tsx'
import { Previews } from './previews.tsx'
import '../../settings/settings.css'
import '../ways-in.css'
import './brand.css'

/**
 * Returns a function that uploads the chosen image files. It returns the references of the uploaded images by the names of their
 * settings, and null for a setting whose image is removed.
 */
const useUploads = () => {
  const { api } = useConsole()
  return async (files: Chosen): Promise<Draft['uploads']> => {
    const kept = await Promise.all(
      Object.entries(files).map(async ([key, file]) => {
        if (file === null) return [key, null] as const
        const query = { kind: 'logo' as const }
        return [key, (await api.call(brandImageContract, 'uploadBrandImage', { query, body: file })).reference] as const
      }),
    )
    return Object.fromEntries(kept)
  }
}

type Chosen = { readonly logo?: File | null; readonly logoDark?: File | null }

interface ScreenProps {
  readonly answer: NonNullable<ReturnType<typeof useSettings>['data']>
  readonly pages: Settings
}

const Screen = ({ answer, pages }: ScreenProps) => {
  const { t } = useI18n()
  const problemOf = useProblem()
  const upload = useUploads()
  const { settings } = answer
  const inEffect = draftOf(settings, pages)
  const [change, setChange] = useState<Partial<Draft>>({})
  const [chosen, setChosen] = useState<Chosen>({})
  const [isWorking, setIsWorking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [reviewed, setReviewed] = useState<ReturnType<typeof changeOf>>()
  // Used as the React key of the form. Increasing it makes a new form without the chosen files.
  const [round, setRound] = useState(0)
  const draft = { ...inEffect, ...change }
  const { color, radius } = draft
  const hasFont = settings.some(({ key, isSet }) => key === 'brand.font' && isSet)
  const style = {
    ...{ color: isColor(color) ? color.toLowerCase() : undefined, radius },
    fontUrl: hasFont ? '/brand/font.woff2' : undefined,
  }
  const end = () => {
    setChange({})
    setChosen({})
    setProblem(undefined)
    setRound(round + 1)
  }
  const review = async () => {
    setProblem(undefined)
    setIsWorking(true)
    try {
      setReviewed(changeOf(settings, { ...draft, uploads: await upload(chosen) }, inEffect))
    } catch (error) {
      setProblem(problemOf(error))
    }
    setIsWorking(false)
  }
  return (
    <Page
      title={t('console.screen.brand')}
      lead={t('ways.brandLead')}
      actions={
        <Link className="button button-secondary" to={settingsHistoryPath}>
          {t('setting.historyLink')}
        </Link>
      }
    >
      <BrandForm
        key={round}
        draft={draft}
        settings={settings}
        isChanged={Object.keys(change).length > 0}
        isWorking={isWorking}
        problem={problem}
        onChange={(next) => setChange((before) => ({ ...before, ...next }))}
        onFile={(key, file) => setChosen((before) => ({ ...before, [key]: file }))}
        onReset={end}
        onSave={() => void review()}
      />
      <Previews settings={settingsWith(pages, draft)} css={styleSheetOf(style)} color={style.color} />
      {isColor(color) ? <Contrast color={color.toLowerCase()} /> : <NoColor />}
      {reviewed === undefined ? null : (
        <ReviewDialog answer={answer} draft={reviewed} onSaved={end} onClose={() => setReviewed(undefined)} />
      )}
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

/** The screen of the brand. Changes are previewed on real pages, and saved as settings. */
export const BrandScreen = () => {
  const { api } = useConsole()
  const settings = useSettings()
  const pages = useQuery({ queryKey: ['settings of pages'], queryFn: () => api.hosted.health.settings() })
  if (settings.data !== undefined && pages.data !== undefined) return <Screen answer={settings.data} pages={pages.data} />
  const error = settings.error ?? pages.error
  if (error === null) return <PageSkeleton />
  return <Failure error={error} isPage onRetry={() => void Promise.all([settings.refetch(), pages.refetch()])} />
}
