import { contrastOf } from '../../../../src/brand/rules/oklch.ts'
import { paletteOf } from '../../../../src/brand/rules/palette.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Badge } from '../../../shared/ui.tsx'
import { Panel } from '../../shared/facts.tsx'
import type { Theme } from '../../shared/preview-frame.tsx'

/** Pairs of colours: the token of the foreground, the token of the background, and the contrast ratio that they need (WCAG 2.2, level AA). */
const pairs = [
  ['button', 'on-accent', 'accent-fill', 4.5],
  ['link', 'accent', 'surface', 4.5],
  ['linkOnGround', 'accent', 'ground', 4.5],
  ['text', 'ink', 'ground', 4.5],
  ['soft', 'ink-soft', 'surface', 4.5],
  ['ring', 'ring', 'ground', 3],
] as const

const themes: readonly Theme[] = ['light', 'dark']

/** Shows the contrast ratios of the colours that are derived from the brand's colour. */
export const Contrast = ({ color }: { readonly color: string }) => {
  const { t, locale } = useI18n()
  const palette = paletteOf(color)
  const figures = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const isKept = (theme: Theme) => palette[theme]['accent'] === color
  return (
    <Panel title={t('ways.contrast')}>
      <p className="panel-note">
        {t(isKept('light') ? 'ways.colorKept' : 'ways.colorCorrected', { color: palette.light['accent'] ?? '' })}
      </p>
      <table className="contrast">
        <thead>
          <tr>
            <th scope="col">{t('ways.contrastOf')}</th>
            {themes.map((theme) => (
              <th key={theme} scope="col">
                {t(`ways.theme.${theme}`)}
              </th>
            ))}
            <th scope="col">{t('ways.contrastNeeded')}</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map(([id, front, behind, least]) => (
            <tr key={id}>
              <th scope="row">{t(`ways.contrast.${id}`)}</th>
              {themes.map((theme) => {
                const roles = palette[theme]
                const figure = contrastOf(roles[front] ?? color, roles[behind] ?? color)
                return (
                  <td key={theme}>
                    <Badge tone={figure >= least ? 'good' : 'bad'}>{`${figures.format(figure)} : 1`}</Badge>
                  </td>
                )
              })}
              <td>{`${figures.format(least)} : 1`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
