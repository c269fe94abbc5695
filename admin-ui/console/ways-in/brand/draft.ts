import type { Settings } from '../../../shared/api.ts'
import type { Setting } from '../setting-values.ts'

/** A brand that is being tried. Nothing of it is stored. */
export interface Draft {
  readonly name: string
  /** `#rrggbb`, or empty: the colours that gatehouse comes with. */
  readonly color: string
  readonly radius: 'sharp' | 'soft' | 'round'
  readonly background: 'arches' | 'plain'
  /** Addresses of images; a chosen file is in the address itself. */
  readonly logo: string | null
  readonly logoDark: string | null
  /** Names of the files that were chosen. */
  readonly files: { readonly logo?: string; readonly logoDark?: string }
}

export const radii = ['sharp', 'soft', 'round'] as const
export const backgrounds = ['arches', 'plain'] as const

const brandValue = (settings: readonly Setting[], key: string) =>
  settings.find((one) => one.key === `brand.${key}`)?.value ?? null

/** The brand as it is in effect. */
export const draftOf = (settings: readonly Setting[], { brand }: Settings): Draft => ({
  name: String(brandValue(settings, 'name') ?? ''),
  color: String(brandValue(settings, 'color') ?? ''),
  radius: radii.find((one) => one === brandValue(settings, 'radius')) ?? 'soft',
  background: brand.background,
  logo: brand.logo,
  logoDark: brand.logoDark,
  files: {},
})

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** The draft as pages would be told. */
export const settingsWith = (settings: Settings, { name, background, logo, logoDark }: Draft): Settings => ({
  ...settings,
  name: name.trim() === '' ? 'gatehouse' : name.trim(),
  brand: { ...settings.brand, isNamed: name.trim() !== '', background, logo, logoDark },
})

/** The keys of the configuration that make the draft the brand. A file is named where it is to be put. */
const keysOf = ({ name, color, radius, background, files }: Draft): readonly (readonly [key: string, value: string])[] => [
  ...(name.trim() === '' ? [] : [['name', name.trim()] as const]),
  ...(isColor(color) ? [['color', color.toLowerCase()] as const] : []),
  ['radius', radius],
  ['background', background],
  ...Object.entries(files).map(([key, file]) => [key, `/etc/gatehouse/${file}`] as const),
]

export const yamlOfDraft = (draft: Draft): string =>
  ['brand:', ...keysOf(draft).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)].join('\n')

const shellWord = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

export const variablesOfDraft = (draft: Draft): string =>
  keysOf(draft)
    .map(([key, value]) => `GATEHOUSE_BRAND_${key.replace(/[A-Z]/g, '_$&').toUpperCase()}=${shellWord(value)}`)
    .join('\n')
