/** Browsers get a page when they have to wait, and programs get JSON. */
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readTexts } from '../../../admin-ui/texts.ts'
import { locales } from '../../../src/core/locale.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { authorizePath, register } from '../oidc/flow.ts'

const texts = readTexts()['pages']
/** Text that only the server shows. */
const said = (locale: string, key: string) => String(texts?.[locale]?.['server']?.[key])

let t: TestApp
beforeAll(async () => {
  const few = { max: 2, windowSeconds: 100 }
  const social = { github: { clientId: 'id', clientSecret: 'secret' } }
  t = await testApp({ config: { limits: { enabled: 'on', general: few, strict: few, files: few }, social } })
  t.clock.hold()
})
// Each test begins with a new rate-limit window.
beforeEach(() => t.clock.advance({ seconds: 100 }))
afterAll(() => t.stop())

/** Page loads of browsers, in a secure context and in others. */
const inBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }
const withoutMetadata = { accept: inBrowser.accept }
interface Loaded {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}
/** A request with headers that `fetch` would set itself. */
const load = async (
  path: string,
  headers: Readonly<Record<string, string>> = inBrowser,
  body?: string,
  by = t,
): Promise<Loaded> => {
  const sent = request(by.url + path, { method: body === undefined ? 'GET' : 'POST', headers }).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}
/** The answer at a path once the limit is used up. */
const last = async (path: string, headers?: Readonly<Record<string, string>>, body?: string) => {
  for (let i = 0; i < 2; i += 1) await load(path, headers, body)
  return load(path, headers, body)
}
const form = 'state=x&code=y'
const asForm = { ...inBrowser, 'content-type': 'application/x-www-form-urlencoded' }

test('every page load beyond a rate limit shows a page that says how long to wait, and loads nothing else', async () => {
  const client = await register(t, { skipConsent: true })
  const ways: readonly (readonly [path: string, headers?: Readonly<Record<string, string>>, body?: string])[] = [
    ['/sign-in'],
    ['/sign-in', withoutMetadata],
    ['/account/profile'],
    ['/nowhere'],
    ['/admin/users'],
    ['/verify-email?token=x&callbackURL=%2Faccount'],
    ['/callback/github?code=x&state=y'],
    ['/callback/github', asForm, form],
    ['/interaction/abc'],
    [authorizePath(client)],
    ['/oauth2/authorize/abc'],
    ['/oauth2/end-session'],
    ['/oauth2/end-session', asForm, form],
  ]
  for (const [path, headers, body] of ways) {
    t.clock.advance({ seconds: 100 })
    const answer = await last(path, headers, body)
    const where = `${path} ${body ?? ''}`
    expect([answer.status, answer.headers['content-type']], where).toEqual([429, 'text/html; charset=utf-8'])
    expect(answer.text.includes(said('en', 'tooMany.title')), where).toBe(true)
    expect(Number(answer.headers['retry-after']), where).toBeGreaterThan(0)
    expect(answer.headers['cache-control'], where).toBe('no-store')
    expect(answer.text.includes(`${answer.headers['retry-after']} seconds`), where).toBe(true)
    // The files of a normal page would have to wait as well.
    expect(/<script|modulepreload|<link rel="stylesheet"/.exec(answer.text), where).toBeNull()
  }
})

test('programs beyond a rate limit get JSON, even if they would accept a page', async () => {
  const ofJava = { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' }
  for (const headers of [{}, { accept: 'application/json' }, { ...inBrowser, 'sec-fetch-mode': 'cors' }, ofJava]) {
    t.clock.advance({ seconds: 100 })
    const { status, text } = await last('/get-session', headers)
    expect([status, JSON.parse(text).code], JSON.stringify(headers)).toEqual([429, 'TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER'])
  }
  t.clock.advance({ seconds: 100 })
  const body = { email: 'ann@example.com', password: 'x' }
  for (let i = 0; i < 2; i += 1) await t.client().post('/sign-in/email', body)
  const refused = await t.client().post('/sign-in/email', body, { accept: inBrowser.accept })
  expect([refused.status, refused.json['code']]).toEqual([429, 'TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER'])
  t.clock.advance({ seconds: 100 })
  expect((await last('/oauth2/authorize', {})).text).toContain('"error":"temporarily_unavailable"')
})

test('the page about a rate limit and its waiting time are in the language of the reader', async () => {
  for (const locale of locales) {
    t.clock.advance({ seconds: 100 })
    const { text, headers } = await last('/sign-in', { ...inBrowser, 'accept-language': locale })
    expect(text.includes(`<html lang="${locale}"`), locale).toBe(true)
    expect(text.includes(`<title>${said(locale, 'tooMany.title')} · `), locale).toBe(true)
    const wait = new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(
      Number(headers['retry-after']),
    )
    expect(text.includes(said(locale, 'tooMany.text').replace('{wait}', wait)), locale).toBe(true)
  }
  const slow = await testApp({ config: { limits: { enabled: 'on', general: { max: 1, windowSeconds: 7_200 } } } })
  await load('/sign-in', inBrowser, undefined, slow)
  const { text } = await load('/sign-in', inBrowser, undefined, slow)
  expect(text).toMatch(/Please wait: \d+ (minutes|hours)/)
  await slow.stop()
})

test('no part of the address of a page is written into the page about a rate limit', async () => {
  const { text } = await last('/sign-in?error=<b>Pay</b>&error_description=Send+money&callbackURL=%2Fx')
  expect(text).not.toMatch(/Pay|money/)
})
