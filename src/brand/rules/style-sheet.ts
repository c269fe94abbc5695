import { type Palette, paletteOf, type Roles } from './palette.ts'

/** What of a brand its style sheet says. */
export interface Style {
  readonly color?: string | undefined
  readonly radius: 'sharp' | 'soft' | 'round'
  /** Address of the font. */
  readonly fontUrl?: string | undefined
}

const radii: Readonly<Record<Style['radius'], Roles>> = {
  sharp: { 'radius-s': '0.125rem', 'radius-m': '0.125rem', 'radius-l': '0.25rem' },
  soft: {},
  round: { 'radius-s': '0.875rem', 'radius-m': '1.4375rem', 'radius-l': '1.75rem' },
}

const declarations = (roles: Roles) =>
  Object.entries(roles)
    .map(([role, value]) => `--${role}:${value}`)
    .join(';')

// Twice, so that it counts wherever it stands beside the sheets of the pages.
const rule = (roles: Roles) => (Object.keys(roles).length === 0 ? '' : `:root:root{${declarations(roles)}}`)

/** The tokens of the pages that a brand changes, in light and dark. Empty for a brand that changes none. */
export const styleSheetOf = ({ color, radius, fontUrl }: Style): string => {
  const palette: Palette = color === undefined ? { light: {}, dark: {} } : paletteOf(color)
  const font: Roles = fontUrl === undefined ? {} : { font: '"Brand",system-ui,sans-serif' }
  const face =
    fontUrl === undefined
      ? ''
      : `@font-face{font-family:"Brand";src:url("${fontUrl}") format("woff2");font-weight:100 900;font-display:swap}`
  const dark = rule(palette.dark)
  return `${face}${rule({ ...palette.light, ...radii[radius], ...font })}${dark === '' ? '' : `@media (prefers-color-scheme:dark){${dark}}`}\n`
}
