/** Chart colours as people with common colour blindness see them, computed. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const css = readFileSync(new URL('../../admin-ui/shared/styles/tokens.css', import.meta.url), 'utf8')
/** Values of a console token in the order of the file: light, then dark. */
const valuesOf = (name: string, within = css.slice(css.indexOf(':root.inside'))) =>
  [...within.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6})`, 'g'))].map(([, value = '']) => value)

type Color = readonly [number, number, number]
/** Linear light, 0 to 1. */
const linear = (hex: string): Color => {
  const of = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [of(1), of(3), of(5)]
}
const times = (rows: readonly Color[], [r, g, b]: Color): Color =>
  rows.map(([x, y, z]) => Math.min(1, Math.max(0, x * r + y * g + z * b))) as unknown as Color

/** G. M. Machado and others, "A physiologically-based model for simulation of color vision deficiency" (2009), severity 1. */
const eyes: Readonly<Record<string, readonly Color[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

/** OKLab, in which distances are perceptual. */
const labOf = ([r, g, b]: Color): Color => {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}
/** In hundredths. 2 is just noticeable where two colours touch. */
const distance = (one: Color, other: Color) => 100 * Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)))
const luminance = ([r, g, b]: Color) => 0.2126 * r + 0.7152 * g + 0.0722 * b
const contrast = (one: Color, other: Color) => {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

const grounds = { light: valuesOf('surface', css)[0] ?? '', dark: valuesOf('surface').at(-1) ?? '' }

test.each([
  ['light', 0],
  ['dark', 1],
] as const)(
  'six chart colours are distinguishable from each other, also by people with colour blindness, and from the background, in %s',
  (theme, index) => {
    const colors = [1, 2, 3, 4, 5, 6].map((number) => valuesOf(`chart-${number}`)[index] ?? '')
    expect(colors.every((color) => color !== '')).toBe(true)
    const faults = Object.entries(eyes).flatMap(([name, eye]) =>
      colors.flatMap((one, at) =>
        colors.slice(at + 1).flatMap((other) => {
          const far = distance(labOf(times(eye, linear(one))), labOf(times(eye, linear(other))))
          return far < 12 ? [`${one} and ${other} with ${name}: ${far.toFixed(1)}`] : []
        }),
      ),
    )
    expect(faults).toEqual([])
    // WCAG 2.2, 1.4.11: parts of graphics.
    for (const color of colors) expect(contrast(linear(color), linear(grounds[theme])), color).toBeGreaterThan(3)
  },
)
