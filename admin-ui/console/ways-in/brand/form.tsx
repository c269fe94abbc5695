import { Icon } from '../../../shared/icons.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { Button } from '../../../shared/ui.tsx'
import { Panel } from '../../shared/facts.tsx'
import type { Draft } from './draft.ts'
import { backgrounds, isColor, radii } from './draft.ts'

/** Longer ones are refused by the configuration, too. */
const longestFile = 5_000_000

const readFile = (file: File, done: (address: string) => void) => {
  const reader = new FileReader()
  reader.addEventListener('load', () => done(String(reader.result)))
  reader.readAsDataURL(file)
}

/** The accent colour of the console, which the form shows until the person tries another one. */
const ownColor = () => getComputedStyle(document.documentElement).getPropertyValue('--accent-fill').trim()

interface FormProps {
  readonly draft: Draft
  readonly isChanged: boolean
  readonly onChange: (change: Partial<Draft>) => void
  readonly onReset: () => void
}

/** The form for the parts of a brand. The preview follows every change at once. */
export const BrandForm = ({ draft, isChanged, onChange, onReset }: FormProps) => {
  const { t } = useI18n()
  const { name, color, radius, background, files } = draft
  const isWrong = color !== '' && !isColor(color)
  const choose = (key: 'logo' | 'logoDark', file: File | undefined) => {
    if (file === undefined || file.size > longestFile) return
    readFile(file, (address) => onChange({ [key]: address, files: { ...files, [key]: file.name } }))
  }
  return (
    <Panel
      title={t('ways.brandTry')}
      actions={
        <Button kind="secondary" blocked={!isChanged} onClick={onReset}>
          {t('ways.brandReset')}
        </Button>
      }
    >
      <div className="brand-form">
        <label className="brand-field">
          <span>{t('ways.brandName')}</span>
          <input value={name} maxLength={64} onChange={({ currentTarget }) => onChange({ name: currentTarget.value })} />
        </label>
        <div className="brand-field">
          <label htmlFor="brand-color">{t('ways.brandColor')}</label>
          <div className="brand-color">
            <input
              type="color"
              aria-label={t('ways.brandPick')}
              value={isColor(color) ? color : ownColor()}
              onChange={({ currentTarget }) => onChange({ color: currentTarget.value })}
            />
            <input
              id="brand-color"
              value={color}
              placeholder={ownColor()}
              aria-invalid={isWrong}
              aria-describedby="brand-color-problem"
              onChange={({ currentTarget }) => onChange({ color: currentTarget.value.trim() })}
            />
          </div>
          <span id="brand-color-problem" className="brand-problem" role="status">
            {isWrong ? t('ways.brandColorWrong') : ''}
          </span>
        </div>
        <label className="brand-field">
          <span>{t('ways.brandRadius')}</span>
          <span className="field-box">
            <select
              value={radius}
              onChange={({ currentTarget }) => onChange({ radius: radii.find((one) => one === currentTarget.value) ?? 'soft' })}
            >
              {radii.map((one) => (
                <option key={one} value={one}>
                  {t(`ways.radius.${one}`)}
                </option>
              ))}
            </select>
            <Icon name="down" size={16} />
          </span>
        </label>
        <label className="brand-field">
          <span>{t('ways.brandBackground')}</span>
          <span className="field-box">
            <select
              value={background}
              onChange={({ currentTarget }) =>
                onChange({ background: backgrounds.find((one) => one === currentTarget.value) ?? 'arches' })
              }
            >
              {backgrounds.map((one) => (
                <option key={one} value={one}>
                  {t(`ways.background.${one}`)}
                </option>
              ))}
            </select>
            <Icon name="down" size={16} />
          </span>
        </label>
        {(['logo', 'logoDark'] as const).map((key) => (
          <label key={key} className="brand-field">
            <span>{t(`ways.brand.${key}`)}</span>
            <input
              type="file"
              accept="image/png,image/jpeg,image/webp,image/gif,image/avif,image/svg+xml"
              onChange={({ currentTarget }) => choose(key, currentTarget.files?.[0])}
            />
          </label>
        ))}
      </div>
    </Panel>
  )
}
