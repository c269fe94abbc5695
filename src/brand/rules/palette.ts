import { contrastOf, hexOf, type Oklch, oklchOf, withContrast } from './oklch.ts'

/** The contrast ratio that text needs at least. Other visible parts, such as a focus ring, need less (WCAG 2.2, level AA). */
const readable = 4.5
const visible = 3

/** The colours of one theme, by the names of their roles. */
export type Roles = Readonly<Record<string, string>>

export interface Palette {
  readonly light: Roles
  readonly dark: Roles
}

const lightSteps = [0.975, 0.95, 0.91, 0.86, 0.79, 0.7, 0.6, 0.5, 0.41, 0.32] as const
const darkSteps = [0.22, 0.27, 0.32, 0.38, 0.45, 0.54, 0.64, 0.74, 0.82, 0.9] as const

/** Ten shades of a colour from faint to strong. Shades near black and white have less chroma. */
const shadesOf = ({ l, c, h }: Oklch, steps: readonly number[]): readonly string[] =>
  steps.map((step) =>
    hexOf({ l: step, c: c * Math.min(1, (1 - Math.abs(step - 0.55) * 1.6) / Math.max(0.3, 1 - Math.abs(l - 0.55) * 1.6)), h }),
  )

const shadeRoles = (shades: readonly string[]): Roles =>
  Object.fromEntries(shades.map((shade, index) => [`shade-${index + 1}`, shade]))

/** Greys with a little of the colour in them. They are as light as the greys of the default pages, so that text stays readable. */
const greysOf = ({ c, h }: Oklch, lightnesses: Readonly<Record<string, number>>): Roles =>
  Object.fromEntries(Object.entries(lightnesses).map(([role, l]) => [role, hexOf({ l, c: Math.min(0.012, c * 0.12), h })]))

const lightGreys = {
  ...{ ground: 0.962, sunken: 0.973, line: 0.906, bone: 0.936 },
  ...{ 'line-strong': 0.57, ink: 0.225, 'ink-soft': 0.445, 'ink-faint': 0.49 },
}
const darkGreys = {
  ...{ ground: 0.172, surface: 0.212, sunken: 0.192, line: 0.302, bone: 0.272 },
  ...{ 'line-strong': 0.6, ink: 0.945, 'ink-soft': 0.785, 'ink-faint': 0.7 },
}

const white = '#ffffff'

/**
 * The colours of a button and of its text. A colour that is slightly too light for white text is made darker. A lighter colour gets dark
 * text.
 */
const fillOf = (color: Oklch): { readonly fill: Oklch; readonly on: string } => {
  if (contrastOf(hexOf(color), white) >= visible) return { fill: withContrast(color, [white], readable, 'darker'), on: white }
  const dark = hexOf({ l: 0.2, c: Math.min(0.04, color.c), h: color.h })
  return { fill: withContrast(color, [dark], readable, 'lighter'), on: dark }
}

/** The colour of a button under the pointer. Its contrast with the text is a little higher. */
const pressed = ({ fill, on }: ReturnType<typeof fillOf>) => hexOf({ ...fill, l: fill.l + (on === white ? -0.06 : 0.04) })

const lightRoles = (color: Oklch): Roles => {
  const shades = shadesOf(color, lightSteps)
  const greys = greysOf(color, lightGreys)
  const wash = shades[1] ?? white
  const grounds = [white, greys['ground'] ?? white, greys['sunken'] ?? white, wash]
  const text = withContrast(color, grounds, readable, 'darker')
  const made = fillOf(color)
  const fill = hexOf(made.fill)
  return {
    ...greys,
    ...shadeRoles(shades),
    surface: white,
    accent: hexOf(text),
    'accent-deep': hexOf({ ...text, l: text.l - 0.07 }),
    'accent-wash': wash,
    'accent-fill': fill,
    'accent-fill-deep': pressed(made),
    'accent-edge': contrastOf(fill, white) >= visible ? 'transparent' : hexOf(withContrast(color, grounds, visible, 'darker')),
    'on-accent': made.on,
    ring: hexOf(withContrast(color, grounds, visible, 'darker')),
    arch: hexOf(text),
    glow: `${shades[4] ?? white}57`,
  }
}

const darkRoles = (color: Oklch): Roles => {
  const shades = shadesOf(color, darkSteps)
  const greys = greysOf(color, darkGreys)
  const wash = shades[1] ?? white
  const grounds = [...['ground', 'surface', 'sunken'].map((role) => greys[role] ?? white), wash]
  const text = withContrast({ ...color, l: Math.max(color.l, 0.72), c: Math.min(color.c, 0.16) }, grounds, readable, 'lighter')
  const made = fillOf(text)
  return {
    ...greys,
    ...shadeRoles(shades),
    accent: hexOf(text),
    'accent-deep': hexOf({ ...text, l: Math.min(0.97, text.l + 0.06) }),
    'accent-wash': wash,
    'accent-fill': hexOf(made.fill),
    'accent-fill-deep': pressed(made),
    'accent-edge': 'transparent',
    'on-accent': made.on,
    ring: hexOf(withContrast(text, grounds, visible, 'lighter')),
    arch: hexOf(text),
    glow: `${shades[5] ?? white}2e`,
  }
}

/**
 * The colours of the pages for both themes, derived from one colour `#rrggbb` (docs/design/pages.md#brand). A colour with which text
 * would be unreadable is corrected, never refused.
 */
export const paletteOf = (color: string): Palette => {
  const base = oklchOf(color)
  return { light: lightRoles(base), dark: darkRoles(base) }
}
