import { useQuery } from '@tanstack/react-query'
import type { WireApi } from '../../../src/http/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { languageNames } from '../../shared/language.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { CopyField } from '../shared/copy-field.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import './ways-in.css'

type Texts = Answer<WireApi<typeof settingsContract>['listTexts']>
type Language = Texts['languages'][number]

const countOf = ({ sections }: Language, which: 'own' | 'missing') => sections.reduce((sum, one) => sum + one[which].length, 0)

const LanguageRow = ({ language }: { readonly language: Language }) => {
  const { t } = useI18n()
  const { language: tag, sections } = language
  const [own, missing] = [countOf(language, 'own'), countOf(language, 'missing')]
  const name = languageNames.find(([known]) => known === tag)?.[1] ?? tag
  return (
    <details className="setting">
      <summary>
        <span className="setting-text">
          <span lang={tag}>{name}</span>
          <span className="setting-key">{t('ways.pagesAndConsole')}</span>
        </span>
        <span className="setting-value">
          <Badge tone={missing > 0 ? 'warn' : 'good'}>
            {missing > 0 ? t('ways.textsMissing', { count: missing }) : t('ways.complete')}
          </Badge>
          <span className="setting-source">{t('ways.textsOwn', { count: own })}</span>
        </span>
      </summary>
      <div className="setting-more">
        <Facts
          rows={sections.flatMap(({ section, own, missing }) => [
            [
              `${t(`ways.texts.${section}`)}: ${t('ways.textsInFile')}`,
              own.length === 0 ? t('console.none') : <code key="own">{own.join(', ')}</code>,
            ],
            [
              `${t(`ways.texts.${section}`)}: ${t('ways.textsLacking')}`,
              missing.length === 0 ? undefined : <code key="missing">{missing.join(', ')}</code>,
            ],
          ])}
        />
      </div>
    </details>
  )
}

/** The screen of the languages for pages, mails and console. A language is marked if the operator has changed texts, but not in this language. */
export const LanguagesScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data, error, refetch } = useQuery(api.query(settingsContract, 'listTexts'))
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return (
    <Page
      title={t('console.screen.languages')}
      lead={t('ways.languagesLead')}
      actions={<ShowCall target={settingsContract.listTexts} isQuery />}
    >
      <Panel title={t('console.screen.languages')}>
        {data.languages.map((language) => (
          <LanguageRow key={language.language} language={language} />
        ))}
      </Panel>
      <Panel title={t('ways.ownWords')}>
        <div className="panel-waiting">
          <p>{data.directory === null ? t('ways.noDirectory') : t('ways.directory', { directory: data.directory })}</p>
          <CopyField
            label={t('ways.yaml')}
            value={`texts:\n  directory: ${JSON.stringify(data.directory ?? '/etc/gatehouse/texts')}`}
            isBlock
          />
          <CopyField
            label="en.yaml"
            value={'pages:\n  signIn.title: Welcome back\naccount:\n  verification.subject: Welcome aboard'}
            isBlock
          />
        </div>
      </Panel>
    </Page>
  )
}
