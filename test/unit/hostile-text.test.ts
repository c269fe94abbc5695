import { globSync, readFileSync } from 'node:fs'
import { createContext, Script } from 'node:vm'
import { parseSync, Visitor } from 'vite'
import { expect, test } from 'vitest'
import { isCommonPassword } from '../../src/authentication/methods/password/common-passwords.ts'
import { deviceOf } from '../../src/authentication/sessions/rules.ts'
import { acceptedLanguages, isPlainName } from '../../src/core/language.ts'
import { pickLocale } from '../../src/core/locale.ts'
import { createLog } from '../../src/core/log.ts'
import { parseEmail } from '../../src/core/wire.ts'
import { parseCookies } from '../../src/http/cookies.ts'
import { createClientAddress, limitAddress } from '../../src/http/origin.ts'
import { logResponse } from '../../src/http/response.ts'
import { createTrustedUrls } from '../../src/http/trusted-url.ts'
import { parseMailbox } from '../../src/mail/rules.ts'

const length = 100_000
/** Linear work on 100 kB takes a few milliseconds, and quadratic work many seconds. */
const patienceMs = 6_000

interface Pattern {
  readonly place: string
  readonly source: string
  readonly flags: string
}

/** Every regular expression of the server and the pages, whatever text it reads. */
const allPatterns: readonly Pattern[] = globSync(['src/**/*.ts', 'admin-ui/{hosted,console,shared}/**/*.{ts,tsx}']).flatMap(
  (file) => {
    const found: Pattern[] = []
    const { program } = parseSync(file, readFileSync(file, 'utf8'))
    new Visitor({
      Literal: (node) => {
        if ('regex' in node && node.regex !== undefined && node.regex !== null)
          found.push({ place: file, source: node.regex.pattern, flags: node.regex.flags })
      },
    }).visit(program)
    return found
  },
)

/** Each pattern once, with the first file that contains it. */
const patterns = [...Map.groupBy(allPatterns, ({ source, flags }) => `/${source}/${flags}`).values()].map(
  ([first]) => first as Pattern,
)

/** Repetitions of what patterns match, each with an ending that most patterns reject. */
const hostileTexts: readonly string[] = [
  ...[
    'a',
    'A',
    '0',
    '-',
    '_',
    '.',
    ' ',
    '\t',
    '\n',
    '/',
    '\\',
    '"',
    '<',
    '>',
    '=',
    '+',
    '@',
    ':',
    ',',
    ';',
    '{',
    '[',
    '%',
    '^',
    '\u0000',
    'é',
  ],
  ...['a.', 'a-', 'a ', '1.', '" ', '<a', '{a', 'a@', '%2', '0,'],
].flatMap((unit) => ['', unit.startsWith('a') ? '!' : 'a', '\n'].map((end) => unit.repeat(length / unit.length) + end))

/** The part of the pattern that has to match first, so that the rest of it is reached. */
const prefixOf = (source: string) => /^\^?((?:\\?[/.-]|[\w:; ])*)/.exec(source)?.[1]?.replaceAll('\\', '') ?? ''

test.each(patterns)('the pattern $source of $place reads 100 kB of hostile text in linear time', ({ source, flags }) => {
  const texts = [...new Set(hostileTexts.flatMap((text) => [text, prefixOf(source) + text]))]
  const context = createContext({ pattern: new RegExp(source, flags), texts })
  const read = new Script('for (const text of texts) text.replace(pattern, "")')
  expect(() => read.runInContext(context, { timeout: patienceMs })).not.toThrow()
})

test('functions that read untrusted text process 100 kB of hostile text quickly', async () => {
  const trusted = createTrustedUrls('https://id.example', ['*.*.example.com', 'https://*.*.*.example.org', 'app-*.example.net'])
  const clientAddress = createClientAddress(['10.0.0.0/8'], 'x-forwarded-for')
  const silent = createLog('info', { destination: { write: () => undefined } })
  for (const text of hostileTexts) {
    logResponse(
      silent,
      { method: 'GET', url: `/${text}`, headers: {} } as never,
      { statusCode: 404, writableFinished: true } as never,
      'id',
      1,
    )
    trusted.check(text)
    trusted.check(`https://${text}`)
    trusted.isTrustedOrigin(`https://${text}`)
    parseCookies(text)
    limitAddress(text)
    clientAddress({ socket: { remoteAddress: '10.0.0.1' }, headers: { 'x-forwarded-for': text } } as never)
    acceptedLanguages(text)
    pickLocale([text])
    parseEmail(text)
    parseEmail(`ann@${text}`)
    parseMailbox(text)
    isPlainName(text)
    deviceOf(text)
    await isCommonPassword(text, ['ann@example.com', 'Ann Example'])
  }
})
