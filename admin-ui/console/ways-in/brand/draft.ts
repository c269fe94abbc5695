import type { Settings } from '../../../shared/api.ts'
import type { Setting, Value } from '../../settings/draft.ts'
import { isSame } from '../../settings/draft.ts'

/** A brand that is previewed, but not stored. */
export interface Draft {
  readonly name: string
  /** A colour as `#rrggbb`. An empty text means the default colours. */
  readonly color: string
  readonly radius: 'sharp' | 'soft' | 'round'
  readonly background: 'arches' | 'plain'
  /** URL of the logo. If the file was chosen but not uploaded yet, it is a `data:` URL. */
  readonly logo: string | null
  readonly logoDark: string | null
  /** Names of the files that were chosen for the logos. */
  readonly files: { readonly logo?: string; readonly logoDark?: string }
  /** References of the uploaded images for the logos. Null means that the logo is to be removed. */
  readonly uploads: { readonly logo?: string | null; readonly logoDark?: string | null }
  readonly links: Readonly<Record<(typeof linkNames)[number], string>>
}

export const linkNames = ['privacy', 'terms', 'support'] as const

export const radii = ['sharp', 'soft', 'round'] as const
export const backgrounds = ['arches', 'plain'] as const

const brandValue = (settings: readonly Setting[], key: string) =>
  settings.find((one) => one.key === `brand.${key}`)?.value ?? null

/** A draft with the values of the present brand. */
export const draftOf = (settings: readonly Setting[], { brand }: Settings): Draft => ({
  name: String(brandValue(settings, 'name') ?? ''),
  color: String(brandValue(settings, 'color') ?? ''),
  radius: radii.find((one) => one === brandValue(settings, 'radius')) ?? 'soft',
  background: brand.background,
  logo: brand.logo,
  logoDark: brand.logoDark,
  files: {},
  uploads: {},
  links: {
    privacy: String(brandValue(settings, 'links.privacy') ?? ''),
    terms: String(brandValue(settings, 'links.terms') ?? ''),
    support: String(brandValue(settings, 'links.support') ?? ''),
  },
})

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** The pages' settings, with the brand replaced by the draft. */
export const settingsWith = (settings: Settings, { name, background, logo, logoDark }: Draft): Settings => ({
  ...settings,
  name: name.trim() === '' ? 'gatehouse' : name.trim(),
  brand: { ...settings.brand, isNamed: name.trim() !== '', background, logo, logoDark },
})

/**
 * The change of settings that puts the draft into effect. It contains neither unchanged settings nor settings that another source, such
 * as the environment, overrides.
 */
export const changeOf = (settings: readonly Setting[], draft: Draft, before: Draft) => {
  const set: Record<string, Value> = {}
  const unset: string[] = []
  const take = (name: string, value: Value, base: Value) => {
    const setting = settings.find(({ key }) => key === `brand.${name}`)
    if (setting === undefined || setting.isLocked || isSame(value, base)) return
    if (value === '' || value === null) unset.push(setting.key)
    else set[setting.key] = value
  }
  take('name', draft.name.trim(), before.name)
  take('color', draft.color.toLowerCase(), before.color)
  take('radius', draft.radius, before.radius)
  take('background', draft.background, before.background)
  for (const name of ['logo', 'logoDark'] as const) {
    const upload = draft.uploads[name]
    if (upload !== undefined) take(name, upload, '')
  }
  for (const name of linkNames) take(`links.${name}`, draft.links[name].trim(), before.links[name])
  return { set, unset }
}
