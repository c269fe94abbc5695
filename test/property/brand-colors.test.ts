import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrastOf, hexOf, oklchOf } from '../../src/brand/rules/oklch.ts'
import { paletteOf, type Roles } from '../../src/brand/rules/palette.ts'
import { runs } from '../support/runs.ts'

const color = fc
  .tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 255 })))
  .map((channels) => `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`)

const of = (roles: Roles, role: string): string => roles[role] ?? `no ${role}`

/** Pairs of text and background. */
const texts: readonly (readonly [text: string, ground: string])[] = [
  ...['ground', 'surface', 'sunken', 'accent-wash'].flatMap((ground) =>
    ['accent', 'accent-deep', 'ink', 'ink-soft'].map((text) => [text, ground] as const),
  ),
  ...['ground', 'surface', 'sunken'].map((ground) => ['ink-faint', ground] as const),
  ['on-accent', 'accent-fill'],
  ['on-accent', 'accent-fill-deep'],
]

test('any brand colour gives text of both themes a contrast of 4.5, and focus rings and borders a contrast of 3', () => {
  fc.assert(
    fc.property(color, (hex) => {
      for (const [theme, roles] of Object.entries(paletteOf(hex))) {
        for (const [text, ground] of texts)
          expect(contrastOf(of(roles, text), of(roles, ground)), `${text} on ${ground}, ${theme}`).toBeGreaterThanOrEqual(4.5)
        for (const role of ['ring', 'line-strong'])
          for (const ground of ['ground', 'surface', 'sunken'])
            expect(contrastOf(of(roles, role), of(roles, ground)), `${role} on ${ground}, ${theme}`).toBeGreaterThanOrEqual(3)
        const edge = of(roles, 'accent-edge')
        const seen = edge === 'transparent' ? of(roles, 'accent-fill') : edge
        expect(contrastOf(seen, of(roles, 'surface')), `a button on surface, ${theme}`).toBeGreaterThanOrEqual(3)
      }
    }),
    { numRuns: 12 * runs },
  )
})

test('a colour converted to OKLCH and back is the same', () => {
  fc.assert(
    fc.property(color, (hex) => {
      expect(hexOf(oklchOf(hex))).toBe(hex)
    }),
    { numRuns: 12 * runs },
  )
})

test('the ten shades of a brand colour change steadily in one direction in both themes', () => {
  fc.assert(
    fc.property(color, (hex) => {
      const { light, dark } = paletteOf(hex)
      const steps = (roles: Roles) => Array.from({ length: 10 }, (_, index) => oklchOf(of(roles, `shade-${index + 1}`)).l)
      const lightSteps = steps(light)
      expect(lightSteps.toSorted((a, b) => b - a)).toEqual(lightSteps)
      const darkSteps = steps(dark)
      expect(darkSteps.toSorted((a, b) => a - b)).toEqual(darkSteps)
      expect(new Set([...lightSteps, ...darkSteps]).size).toBeGreaterThan(15)
    }),
    { numRuns: 12 * runs },
  )
})

test('a brand colour with enough contrast fills buttons unchanged', () => {
  for (const hex of ['#0b1f4d', '#0d5c4c', '#b00020', '#5b21b6', '#f7c6d9']) expect(paletteOf(hex).light['accent-fill']).toBe(hex)
})
