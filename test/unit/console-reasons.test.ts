import { expect, test } from 'vitest'
import enConsole from '../../admin-ui/locales/console/en.json' with { type: 'json' }
import { eventTexts } from '../../src/authentication/explanation/event-texts.ts'
import { verdictTexts } from '../../src/authentication/explanation/verdict-texts.ts'
import { FailureReason } from '../../src/authentication/failures/contract.ts'

const { consoleReasons: en } = enConsole

const codesOf = (group: string) =>
  Object.keys(en)
    .filter((key) => key.startsWith(`${group}.`))
    .map((key) => key.slice(group.length + 1))
    .toSorted()

test('the console has a text for exactly the reasons for which a sign-in can fail', () => {
  expect(codesOf('reasons')).toEqual(FailureReason.options.toSorted())
})

test('the console has a text for exactly the events, verdicts and obstacles of an explained sign-in', () => {
  expect(codesOf('verdicts')).toEqual(Object.keys(verdictTexts).toSorted())
  expect(codesOf('events').filter((code) => code !== 'reason')).toEqual(Object.keys(eventTexts).toSorted())
})
