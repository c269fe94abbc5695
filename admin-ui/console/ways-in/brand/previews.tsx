import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { mailContract } from '../../../../src/mail/contract.ts'
import { PreviewPage, pageCss } from '../../../preview/page.tsx'
import type { Settings } from '../../../shared/api.ts'
import { loadI18n } from '../../../shared/i18n.ts'
import { loadOwnTexts } from '../../../shared/own-texts.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole, usePermission } from '../../api.ts'
import { Choice } from '../../shared/choice.tsx'
import { Panel } from '../../shared/facts.tsx'
import { Failure } from '../../shared/failure.tsx'
import { MailDocument, stylesOfMail } from '../../shared/mail-document.tsx'
import type { Theme } from '../../shared/preview-frame.tsx'
import { PreviewFrame } from '../../shared/preview-frame.tsx'

const kinds = ['signIn', 'consent', 'mail'] as const
const widths = ['desktop', 'phone'] as const
const themes: readonly Theme[] = ['light', 'dark']

interface PreviewsProps {
  readonly settings: Settings
  /** The style sheet of the previewed brand. */
  readonly css: string
  /** The previewed brand's colour as `#rrggbb`. Undefined if no colour is set. */
  readonly color: string | undefined
}

/** Previews the first mail that people get, with the brand of the draft. */
const MailPreviews = ({
  name,
  color,
  isPhone,
}: {
  readonly name: string
  readonly color: string | undefined
  readonly isPhone: boolean
}) => {
  const { t, locale } = useI18n()
  const { api } = useConsole()
  const query = { language: locale, name, ...(color === undefined ? {} : { color: color.slice(1) }) }
  const { data, error, refetch } = useQuery({
    ...api.query(mailContract, 'previewMail', { params: { kind: 'verification' }, query }),
    placeholderData: (before) => before,
  })
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  const html = data?.html ?? ''
  return themes.map((theme) => (
    <PreviewFrame
      key={theme}
      theme={theme}
      css={stylesOfMail(html)}
      isPhone={isPhone}
      title={`${t('ways.preview.mail')}, ${t(`ways.theme.${theme}`)}`}
    >
      <MailDocument html={html} />
    </PreviewFrame>
  ))
}

/** Previews of hosted pages with the brand of the draft, in the light and the dark theme. */
export const Previews = ({ settings, css, color }: PreviewsProps) => {
  const { t, locale } = useI18n()
  const { id, name, email } = useConsole().access.user
  const user = { id, name, email, image: null }
  const { isAllowed: readsMails } = usePermission('mails:read')
  const [kind, setKind] = useState<(typeof kinds)[number]>('signIn')
  const [width, setWidth] = useState<(typeof widths)[number]>('desktop')
  const { data: i18n } = useQuery({
    queryKey: ['texts of pages', locale],
    queryFn: () => loadI18n(locale, navigator.languages, ['consent'], loadOwnTexts),
    staleTime: Number.POSITIVE_INFINITY,
  })
  // The settings object stays the same while its content is equal. A new object after every typed letter would restart the previewed
  // pages.
  const key = JSON.stringify(settings)
  const stable = useMemo<Settings>(() => JSON.parse(key), [key])
  return (
    <Panel
      title={t('ways.preview')}
      actions={
        <>
          <Choice
            label={t('ways.previewPage')}
            values={readsMails ? kinds : kinds.slice(0, 2)}
            value={kind}
            text={(one) => t(`ways.preview.${one}`)}
            onValue={setKind}
          />
          <Choice
            label={t('ways.previewWidth')}
            values={widths}
            value={width}
            text={(one) => t(`ways.width.${one}`)}
            onValue={setWidth}
          />
        </>
      }
    >
      <div className="previews">
        {kind === 'mail' ? (
          <MailPreviews name={settings.name} color={color} isPhone={width === 'phone'} />
        ) : (
          themes.map((theme) => (
            <PreviewFrame
              key={`${theme} ${kind}`}
              theme={theme}
              css={pageCss + css}
              isPhone={width === 'phone'}
              title={`${t(`ways.preview.${kind}`)}, ${t(`ways.theme.${theme}`)}`}
            >
              {i18n === undefined ? null : <PreviewPage kind={kind} theme={theme} settings={stable} user={user} i18n={i18n} />}
            </PreviewFrame>
          ))
        )}
      </div>
    </Panel>
  )
}
