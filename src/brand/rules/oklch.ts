/**
 * A colour in the OKLCH space, in which equal distances look equal to people. It has a lightness from 0 to 1, a chroma (0 is grey) and a
 * hue in degrees. Source: Björn Ottosson, "A perceptual color space" (2020).
 */
export interface Oklch {
  readonly l: number
  readonly c: number
  readonly h: number
}

type Triple = readonly [number, number, number]

const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const fromLinear = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055)

const linearChannelsOf = (hex: string): Triple => {
  const channel = (at: number) => toLinear(Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  return [channel(1), channel(3), channel(5)]
}

/** Converts a colour `#rrggbb` to OKLCH. */
export const oklchOf = (hex: string): Oklch => {
  const [r, g, b] = linearChannelsOf(hex)
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s
  const alpha = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const beta = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  const hue = (Math.atan2(beta, alpha) * 180) / Math.PI
  return { l: lightness, c: Math.hypot(alpha, beta), h: (hue + 360) % 360 }
}

const linearOf = ({ l: lightness, c, h }: Oklch): Triple => {
  const radians = (h * Math.PI) / 180
  const [alpha, beta] = [c * Math.cos(radians), c * Math.sin(radians)]
  const l = (lightness + 0.3963377774 * alpha + 0.2158037573 * beta) ** 3
  const m = (lightness - 0.1055613458 * alpha - 0.0638541728 * beta) ** 3
  const s = (lightness - 0.0894841775 * alpha - 1.291485548 * beta) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

const isShown = (color: Oklch) => linearOf(color).every((value) => value >= -0.0005 && value <= 1.0005)

/** Converts a colour to `#rrggbb`. If screens cannot show the colour, it becomes greyer, and keeps its lightness and hue. */
export const hexOf = (color: Oklch): string => {
  const l = Math.min(1, Math.max(0, color.l))
  let [shown, tried] = [0, color.c]
  if (!isShown({ ...color, l }))
    for (let step = 0; step < 16; step += 1) {
      const middle = (shown + tried) / 2
      if (isShown({ ...color, l, c: middle })) shown = middle
      else tried = middle
    }
  else shown = color.c
  const digits = linearOf({ ...color, l, c: shown }).map((value) =>
    Math.round(Math.min(1, Math.max(0, fromLinear(Math.min(1, Math.max(0, value))))) * 255)
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${digits.join('')}`
}

const luminanceOf = (hex: string): number => {
  const [r, g, b] = linearChannelsOf(hex)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** The contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export const contrastOf = (one: string, other: string): number => {
  const [a, b] = [luminanceOf(one), luminanceOf(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/**
 * Makes a colour lighter or darker, only as much as needed, until its contrast with each of `others` is at least `least`. If no lightness
 * is enough, the result is black or white.
 */
export const withContrast = (color: Oklch, others: readonly string[], least: number, direction: 'darker' | 'lighter'): Oklch => {
  const step = direction === 'darker' ? -0.005 : 0.005
  for (let l = Math.min(1, Math.max(0, color.l)); l >= 0 && l <= 1; l += step) {
    const tried = { ...color, l }
    const hex = hexOf(tried)
    if (others.every((other) => contrastOf(hex, other) >= least)) return tried
  }
  return { l: direction === 'darker' ? 0 : 1, c: 0, h: color.h }
}
