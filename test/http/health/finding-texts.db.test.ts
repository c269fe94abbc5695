/** What the checks of all features may find, and the words that the console has for it. */
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
/** A remedy without a word to translate, or none. */
const isCommand = (remedy: string) => /^(|\{command\}|alter role .*)$/.test(remedy)

const checks = () => t.app.registered.flatMap(({ checks: own = [] }) => own)
const all = () => [...checks().map(({ texts }) => texts), anyCheck.texts].flatMap((texts) => Object.entries(texts))

test('the console has texts for every finding of a check and its remedy, and no others', () => {
  const wanted = all().flatMap(([code, { remedy }]) => [
    `findings.${code}`,
    ...(isCommand(remedy) ? [] : [`findings.${code}.remedy`]),
  ])
  expect(Object.keys(known).toSorted()).toEqual([...new Set(wanted)].toSorted())
})

test('the words of the console name no value that the check does not give', () => {
  for (const [code, { message, remedy }] of all()) {
    // The words of the server have the number within others.
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
