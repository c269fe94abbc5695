import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { mailContract } from '../../../src/mail/contract.ts'
import { Icon } from '../../shared/icons.tsx'
import { languageNames } from '../../shared/language.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Choice } from '../shared/choice.tsx'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { MailDocument, stylesOfMail } from '../shared/mail-document.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import type { Theme } from '../shared/preview-frame.tsx'
import { PreviewFrame } from '../shared/preview-frame.tsx'
import { ShowCall } from '../shared/show-call.tsx'

const widths = ['desktop', 'phone'] as const
const themes: readonly Theme[] = ['light', 'dark']

interface TemplateProps {
  readonly kind: string
  readonly language: string
  readonly isPhone: boolean
}

const Template = ({ kind, language, isPhone }: TemplateProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const input = { params: { kind }, query: { language } }
  const { data, error, refetch } = useQuery({
    ...api.query(mailContract, 'previewMail', input),
    placeholderData: (before) => before,
  })
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  const { subject, text, html } = data
  return (
    <>
      <Panel title={subject} actions={<ShowCall target={mailContract.previewMail} input={input} isQuery />}>
        <div className="previews">
          {themes.map((theme) => (
            <PreviewFrame
              key={theme}
              theme={theme}
              css={stylesOfMail(html)}
              isPhone={isPhone}
              title={`${kind}, ${t(`mail.theme.${theme}`)}`}
            >
              <MailDocument html={html} />
            </PreviewFrame>
          ))}
        </div>
      </Panel>
      <Panel title={t('mail.textPart')}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable by keys. */}
        <pre className="mail-text" tabIndex={0} lang={language}>
          {text}
        </pre>
      </Panel>
    </>
  )
}

/** Shows samples of all mails in all languages. They are rendered like real mails, with the signed-in person as the recipient. */
export const TemplatesScreen = () => {
  const { t, locale } = useI18n()
  const { api } = useConsole()
  const [address, setAddress] = useSearchParams()
  const { data, error, refetch } = useQuery(api.query(mailContract, 'listMailTemplates'))
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  const kind = data.templates.find((one) => one.kind === address.get('kind'))?.kind ?? data.templates[0]?.kind ?? ''
  const language = address.get('language') ?? locale
  const width = widths.find((one) => one === address.get('width')) ?? 'desktop'
  const set = (name: string, value: string) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before)
        next.set(name, value)
        return next
      },
      { replace: true },
    )
  return (
    <Page title={t('console.screen.templates')} lead={t('mail.templatesLead')}>
      <div className="filters">
        <label className="filter">
          <span className="filter-name">{t('mail.kind')}</span>
          <select value={kind} onChange={({ currentTarget }) => set('kind', currentTarget.value)}>
            {data.templates.map((one) => (
              <option key={one.kind}>{one.kind}</option>
            ))}
          </select>
          <Icon name="down" size={14} />
        </label>
        <label className="filter">
          <span className="filter-name">{t('mail.language')}</span>
          <select value={language} onChange={({ currentTarget }) => set('language', currentTarget.value)}>
            {languageNames.map(([tag, name]) => (
              <option key={tag} value={tag} lang={tag}>
                {name}
              </option>
            ))}
          </select>
          <Icon name="down" size={14} />
        </label>
        <Choice
          label={t('mail.width')}
          values={widths}
          value={width}
          text={(one) => t(`mail.width.${one}`)}
          onValue={(one) => set('width', one)}
        />
      </div>
      <Template kind={kind} language={language} isPhone={width === 'phone'} />
    </Page>
  )
}
