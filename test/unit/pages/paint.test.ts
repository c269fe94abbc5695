import { expect, test } from 'vitest'
import { errorGroups } from '../../../admin-ui/hosted/error/codes.ts'
import { painted } from '../../../admin-ui/paint/pages.tsx'
import { locales } from '../../../src/core/locale.ts'
import { packPaint, plainCode, unpackPaint } from '../../../src/http/painted.ts'

const drawn = locales.flatMap((locale) =>
  Object.entries(painted.languages[locale].pages).map(([name, words]) => ({ name, locale, words })),
)

test('every page has its title in every language before its script runs, except consent, whose title names the application', () => {
  expect(drawn.length).toBeGreaterThan(8 * 20)
  expect(new Set(drawn.filter(({ words }) => words.title === null).map(({ name }) => name))).toEqual(new Set(['consent']))
})

test('the first paint of a page is its layout or the whole page, with one heading', () => {
  for (const { name, locale, words } of drawn)
    for (const drawn of [...Object.values(words.content), ...Object.values(words.errors ?? {}).map((error) => error.content)]) {
      // The server writes the texts, because the operator may have replaced them.
      const content = drawn.replace(/\{\{t:([\w.-]+)\}\}/g, (place, key: string) =>
        String(painted.languages[locale].texts[key] ?? place),
      )
      expect(content.match(/<h1/g), `${name} ${locale}`).toHaveLength(1)
      expect(content, `${name} ${locale}`).not.toMatch(/\{\{|undefined|<script|<style| style=/)
    }
})

test('frames and logos leave room for differences between installations', () => {
  for (const frame of Object.values(painted.frames)) expect(frame).toMatch(/\{\{signs\}\}.*\{\{content\}\}/s)
  expect(painted.signs.logos).toContain('{{logo}}')
  expect(painted.signs.logos).toContain('{{logoDark}}')
  expect(painted.signs.name).toContain('{{name}}')
})

test('every error code, in any spelling, has a text that needs no script, in every language', () => {
  for (const [group, codes] of Object.entries(errorGroups))
    for (const code of codes) expect(painted.errorGroups[plainCode(code.toUpperCase().replaceAll('_', ' '))], code).toBe(group)
  for (const locale of locales) {
    const errors = painted.languages[locale].pages['error']?.errors ?? {}
    expect(Object.keys(errors).sort()).toEqual(['unknown', ...Object.keys(errorGroups)].sort())
    for (const { title, content } of Object.values(errors))
      expect(content).toContain(`<h1>${title.replaceAll('&', '&amp;')}</h1>`)
  }
})

test("the build's file of pages stores the common part of all languages once, and is read as it was rendered", () => {
  const file = JSON.stringify(packPaint(painted))
  expect(unpackPaint(JSON.parse(file))).toEqual(JSON.parse(JSON.stringify(painted)))
  expect(file.length * 3).toBeLessThan(JSON.stringify(painted).length)
})
