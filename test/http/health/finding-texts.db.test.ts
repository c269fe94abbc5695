/** All possible findings of the checks, and their texts in the console. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import enConsole from '../../../admin-ui/locales/console/en.json' with { type: 'json' }
import { anyCheck } from '../../../src/core/checks.ts'
import { type TestApp, testApp } from '../../support/app.ts'

const { consoleFindings: en } = enConsole

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const known: Readonly<Record<string, string>> = en
const namesIn = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].toSorted()
/** A remedy without translatable words, or none at all. */
const isCommand = (remedy: string) => /^(|\{command\}|alter role .*)$/.test(remedy)

const checks = () => t.app.registered.flatMap(({ checks: own = [] }) => own)
const all = () => [...checks().map(({ texts }) => texts), anyCheck.texts].flatMap((texts) => Object.entries(texts))

test('the console has exactly the texts of all findings and remedies', () => {
  const wanted = all().flatMap(([code, { remedy }]) => [
    `findings.${code}`,
    ...(isCommand(remedy) ? [] : [`findings.${code}.remedy`]),
  ])
  expect(Object.keys(known).toSorted()).toEqual([...new Set(wanted)].toSorted())
})

test('the texts of the console use only values that the check provides', () => {
  for (const [code, { message, remedy }] of all()) {
    // The server's own text contains the number inside other words.
    const given = namesIn(`${message} ${remedy} {count}`)
    for (const key of [`findings.${code}`, `findings.${code}.remedy`])
      expect(given, key).toEqual(expect.arrayContaining(namesIn(known[key] ?? '')))
  }
})

test('no two checks use one code for different findings', () => {
  const codes = checks().flatMap(({ name, texts }) => Object.keys(texts).map((code) => [code, texts, name] as const))
  for (const [code, texts] of codes)
    expect(
      codes.filter(([other, more]) => other === code && more !== texts),
      code,
    ).toEqual([])
})
