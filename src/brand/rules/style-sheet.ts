import { type Palette, paletteOf, type Roles } from './palette.ts'

/** The parts of a brand that go into its style sheet. */
export interface Style {
  readonly color?: string | undefined
  readonly radius: 'sharp' | 'soft' | 'round'
  /** The URL of the font. */
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

// `:root` is written twice, so that the rule wins over the style sheets of the pages, whatever their order is.
const rule = (roles: Roles) => (Object.keys(roles).length === 0 ? '' : `:root:root{${declarations(roles)}}`)

/** The style sheet with the values that the brand sets, for the light and the dark theme. It is empty if the brand sets none. */
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
