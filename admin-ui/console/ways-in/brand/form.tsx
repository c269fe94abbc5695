import type { ReactNode } from 'react'
import { useId } from 'react'
import { Icon } from '../../../shared/icons.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { Button } from '../../../shared/ui.tsx'
import { usePermission } from '../../api.ts'
import type { Setting } from '../../settings/draft.ts'
import { Panel } from '../../shared/facts.tsx'
import type { Draft } from './draft.ts'
import { backgrounds, isColor, linkNames, radii } from './draft.ts'

/** Largest size of an image file in bytes. The server refuses larger files, too. */
export const longestFile = 5_000_000

const accepted = 'image/png,image/jpeg,image/webp,image/gif,image/avif,image/svg+xml'

const readFile = (file: File, done: (address: string) => void) => {
  const reader = new FileReader()
  reader.addEventListener('load', () => done(String(reader.result)))
  reader.readAsDataURL(file)
}

/** The accent colour of the console. The form shows it until the person chooses a colour for the brand. */
const ownColor = () => getComputedStyle(document.documentElement).getPropertyValue('--accent-fill').trim()

type LogoKey = 'logo' | 'logoDark'

interface FormProps {
  readonly draft: Draft
  readonly settings: readonly Setting[]
  readonly isChanged: boolean
  readonly isWorking: boolean
  /** The server's message if it has refused an image. */
  readonly problem: string | undefined
  readonly onChange: (change: Partial<Draft>) => void
  /** Called with the file that was chosen for a logo. Null means that the logo is to be removed. */
  readonly onFile: (key: LogoKey, file: File | null) => void
  readonly onReset: () => void
  readonly onSave: () => void
}

interface BrandFieldProps {
  readonly name: string
  readonly label: string
  readonly settings: readonly Setting[]
  readonly note?: ReactNode
  readonly children: (control: { readonly id: string; readonly isDisabled: boolean }) => ReactNode
}

/** A field for one setting of the brand. If another source overrides the setting, the field is locked and names that source. */
const BrandField = ({ name, label, settings, note, children }: BrandFieldProps) => {
  const { t } = useI18n()
  const id = useId()
  const { isAllowed } = usePermission('settings:update')
  const setting = settings.find(({ key }) => key === `brand.${name}`)
  const isLocked = setting?.isLocked === true
  return (
    <div className="brand-field">
      <label htmlFor={id}>{label}</label>
      {children({ id, isDisabled: isLocked || !isAllowed })}
      {isLocked ? (
        <span className="setting-state setting-locked">
          <Icon name="lock" size={14} />
          <span className="break">{t('setting.locked', { place: setting.from ?? setting.source })}</span>
        </span>
      ) : (
        note
      )}
    </div>
  )
}

/** The form of the brand. The preview is updated after every change in the form. */
export const BrandForm = (props: FormProps) => {
  const { draft, settings, isChanged, isWorking, problem, onChange, onFile, onReset, onSave } = props
  const { t } = useI18n()
  const { isAllowed } = usePermission('settings:update')
  const { name, color, radius, background, files, links } = draft
  const isWrong = color !== '' && !isColor(color)
  const choose = (key: LogoKey, file: File | undefined) => {
    if (file === undefined || file.size > longestFile) return
    onFile(key, file)
    readFile(file, (address) => onChange({ [key]: address, files: { ...files, [key]: file.name } }))
  }
  const remove = (key: LogoKey) => {
    onFile(key, null)
    onChange({ [key]: null, files: { ...files, [key]: undefined } })
  }
  return (
    <Panel
      title={t('ways.brandTry')}
      actions={
        <>
          <Button kind="secondary" blocked={!isChanged} onClick={onReset}>
            {t('ways.brandReset')}
          </Button>
          {isAllowed ? (
            <Button blocked={!isChanged || isWrong} working={isWorking} onClick={onSave}>
              {t('setting.review')}
            </Button>
          ) : null}
        </>
      }
    >
      <div className="brand-form">
        <BrandField name="name" label={t('ways.brandName')} settings={settings}>
          {({ id, isDisabled }) => (
            <input
              id={id}
              value={name}
              maxLength={64}
              disabled={isDisabled}
              onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
            />
          )}
        </BrandField>
        <BrandField
          name="color"
          label={t('ways.brandColor')}
          settings={settings}
          note={
            <span id="brand-color-problem" className="brand-problem" role="status">
              {isWrong ? t('ways.brandColorWrong') : ''}
            </span>
          }
        >
          {({ id, isDisabled }) => (
            <div className="brand-color">
              <input
                type="color"
                aria-label={t('ways.brandPick')}
                value={isColor(color) ? color : ownColor()}
                disabled={isDisabled}
                onChange={({ currentTarget }) => onChange({ color: currentTarget.value })}
              />
              <input
                id={id}
                value={color}
                placeholder={ownColor()}
                disabled={isDisabled}
                aria-invalid={isWrong}
                aria-describedby="brand-color-problem"
                onChange={({ currentTarget }) => onChange({ color: currentTarget.value.trim() })}
              />
            </div>
          )}
        </BrandField>
        <BrandField name="radius" label={t('ways.brandRadius')} settings={settings}>
          {({ id, isDisabled }) => (
            <span className="field-box">
              <select
                id={id}
                value={radius}
                disabled={isDisabled}
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
          )}
        </BrandField>
        <BrandField name="background" label={t('ways.brandBackground')} settings={settings}>
          {({ id, isDisabled }) => (
            <span className="field-box">
              <select
                id={id}
                value={background}
                disabled={isDisabled}
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
          )}
        </BrandField>
        {(['logo', 'logoDark'] as const).map((key) => (
          <BrandField key={key} name={key} label={t(`ways.brand.${key}`)} settings={settings}>
            {({ id, isDisabled }) => (
              <span className="brand-file">
                <input
                  id={id}
                  type="file"
                  accept={accepted}
                  disabled={isDisabled}
                  onChange={({ currentTarget }) => choose(key, currentTarget.files?.[0])}
                />
                {draft[key] === null || isDisabled ? null : (
                  <button type="button" className="link-button" onClick={() => remove(key)}>
                    {t('setting.removeSecret')}
                    <span className="visually-hidden">: {t(`ways.brand.${key}`)}</span>
                  </button>
                )}
              </span>
            )}
          </BrandField>
        ))}
        {linkNames.map((link) => (
          <BrandField key={link} name={`links.${link}`} label={t(`ways.brandLink.${link}`)} settings={settings}>
            {({ id, isDisabled }) => (
              <input
                id={id}
                type="url"
                value={links[link]}
                placeholder={link === 'support' ? 'mailto:help@example.com' : 'https://example.com'}
                disabled={isDisabled}
                onChange={({ currentTarget }) => onChange({ links: { ...links, [link]: currentTarget.value } })}
              />
            )}
          </BrandField>
        ))}
      </div>
      {problem === undefined ? null : (
        <p className="panel-note field-error" role="alert">
          {problem}
        </p>
      )}
    </Panel>
  )
}
