import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import deTexts from '../../../admin-ui/locales/pages/de.json' with { type: 'json' }
import plTexts from '../../../admin-ui/locales/pages/pl.json' with { type: 'json' }
import { type TestApp, testApp } from '../../support/app.ts'

const { links: deLinks } = deTexts
const { pages: pl } = plTexts

const name = 'Nord & <script>wind</script>'
let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { brand: { name, background: 'plain', color: '#0b1f4d' } } })
})
afterAll(() => t.stop())

const page = (path: string, headers: Record<string, string> = {}) =>
  t.client().request(path, { headers: { accept: 'text/html', ...headers } })
const languageOf = async (path: string, headers: Record<string, string> = {}) =>
  /<html lang="(\w+)">/.exec((await page(path, headers)).text)?.[1]

test('a page has language, title, name and layout from the first byte', async () => {
  const { text, headers } = await page('/sign-in', { 'accept-language': 'pl,en;q=0.5' })
  expect(text).toContain('<html lang="pl">')
  expect(text).toContain(`<title>${pl['signIn.title']} · Nord &amp; &lt;script&gt;wind&lt;/script&gt;</title>`)
  expect(text).toContain('<span class="wordmark-name">Nord &amp; &lt;script&gt;wind&lt;/script&gt;</span>')
  expect((await page('/reset-password')).text).toContain('placeholder-input')
  expect((await page('/reset-password')).text).toMatch(/<noscript>.*JavaScript.*<\/noscript>/)
  expect(headers.get('vary')).toBe('Accept-Encoding, Accept-Language, Cookie')
  expect(headers.get('cache-control')).toBe('no-cache')
})

test('the sign-in page contains its form unless the browser may have a session', async () => {
  const { text } = await page('/sign-in', { 'accept-language': 'pl' })
  const form = /<div class="early">(.*?)<footer/.exec(text)?.[1]
  expect(form).toMatch(/<input[^>]* type="password"/)
  expect(form).toContain(`>${pl['signIn.rememberMe']}<`)
  // The form needs no script, and no password gets into an address.
  expect(form).toMatch(/<form[^>]* method="post">.*<button[^>]* type="submit"/)
  expect(text).not.toContain(`<h1>${plTexts.server['noScript.title']}</h1>`)
  expect((await page('/sign-in?interaction=x')).text.includes('<div class="early">')).toBe(true)
  for (const [path, cookie] of [
    ['/sign-in?error=banned', ''],
    ['/sign-in', 'gatehouse.session=x'],
    ['/sign-in', '__Host-gatehouse.session=x'],
    ['/reset-password', ''],
  ] as const)
    expect((await page(path, { cookie })).text.includes('<div class="early">'), path + cookie).toBe(false)
})

test('a server-rendered page loads its script on first use, and at once during a sign-in to an application', async () => {
  for (const path of ['/sign-in', '/sign-up', '/forgot-password']) {
    const { text } = await page(path, { 'accept-language': 'pl' })
    const code: string[] = JSON.parse(/id="code">(.*?)</.exec(text)?.[1] ?? '[]')
    expect(code.length, path).toBeGreaterThan(2)
    for (const file of code) expect(text, path).not.toContain(`href="${file}"`)
    expect(text, path).toMatch(/<footer class="foot"><span class="language">.*<option value="pl" selected="" lang="pl">/)
    const client = await page(`${path}?interaction=x`)
    expect([client.text.includes('id="code"'), client.text.includes('rel="modulepreload"')], path).toEqual([false, true])
  }
  // Addresses of these pages would not contain the way to an application.
  const client = /<div class="early">(.*?)<footer/.exec((await page('/sign-in?interaction=x')).text)?.[1]
  expect(client).not.toContain('href=')
})

test('a page is in the language of the cookie, otherwise of the application, otherwise of the browser, otherwise in English', async () => {
  const browser = { 'accept-language': 'de' }
  expect(await languageOf('/sign-in?ui_locales=xx%20fr', { ...browser, cookie: 'gatehouse.language=uk' })).toBe('uk')
  expect(await languageOf('/sign-in?ui_locales=xx%20fr', { ...browser, cookie: 'gatehouse.language=xx' })).toBe('fr')
  expect(await languageOf('/sign-in', browser)).toBe('de')
  expect(await languageOf('/sign-in', { 'accept-language': 'xx' })).toBe('en')
})

test('a page names the files that it needs first, and all of them exist', async () => {
  for (const path of ['/sign-in', '/account/organizations', '/error', '/nothing']) {
    const { text } = await page(path)
    const files = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '')
    expect(files.length).toBeGreaterThan(4)
    for (const file of files) expect([file, (await t.client().request(file)).status]).toEqual([file, 200])
  }
})

test('the settings in a page are the settings of the endpoint, and cannot run as a script', async () => {
  const { text, headers } = await page('/sign-in')
  const data = /<script type="application\/json" id="settings">(.*?)<\/script>/.exec(text)?.[1] ?? ''
  expect(data).not.toContain('<')
  expect(JSON.parse(data)).toEqual((await t.client().request('/hosted/settings')).json)
  expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  for (const [, attributes] of text.matchAll(/<script([^>]*)>/g))
    expect(attributes).toMatch(/ src="\/assets\/| type="application\/json"/)
})

test('no part of the address of a page is written into the page', async () => {
  const path = '/sign-in?interaction=%22%3E%3Cb%3Eintruder&ui_locales=%3Cb%3Eintruder&error=intruder'
  expect((await page(path, { cookie: 'gatehouse.language=intruder', 'accept-language': 'intruder' })).text).not.toContain(
    'intruder',
  )
  const missing = await page('/%3Cb%3Eintruder')
  expect([missing.status, missing.text.includes('intruder')]).toEqual([404, false])
})

test('a browser that has the page in its language gets 304, and a browser with another language gets the page', async () => {
  const german = await page('/sign-in', { 'accept-language': 'de' })
  const tag = german.headers.get('etag') ?? ''
  expect((await page('/sign-in', { 'accept-language': 'de', 'if-none-match': tag })).status).toBe(304)
  expect((await page('/sign-in', { 'accept-language': 'fr', 'if-none-match': tag })).status).toBe(200)
})

test('pages with a single message need no script, unless the address of the page contains more', async () => {
  expect((await page('/account/deleted', { 'accept-language': 'de' })).text).toContain('<h1>Ihr Konto ist gelöscht</h1>')
  expect((await page('/verified', { 'accept-language': 'de' })).text).toContain('href="/account"')
  for (const query of ['error=invalid_token', 'interaction=1', 'callbackURL=https%3A%2F%2Fa.example']) {
    expect((await page(`/verified?${query}`)).text).not.toContain('href="/account"')
  }
})

test('scripts and styles are sent in the smallest encoding that the browser accepts', async () => {
  const script = /src="(\/assets\/[^"]+)"/.exec((await page('/sign-in')).text)?.[1] ?? ''
  const get = async (encoding: string) => {
    const answer = await fetch(new URL(script, t.url), { headers: { 'accept-encoding': encoding } })
    return { encoding: answer.headers.get('content-encoding'), vary: answer.headers.get('vary'), text: await answer.text() }
  }
  const [small, gzip, refused, plain] = [
    await get('gzip, br'),
    await get('gzip'),
    await get('gzip, br;q=0'),
    await get('identity'),
  ]
  expect([small, gzip, refused, plain].map(({ encoding }) => encoding)).toEqual(['br', 'gzip', 'gzip', null])
  expect(new Set([small, gzip, refused, plain].map(({ text, vary }) => text + vary)).size).toBe(1)
})

test('scripts have the security headers of every response, but no headers that only apply to documents', async () => {
  const script = /src="(\/assets\/[^"]+)"/.exec((await page('/sign-in')).text)?.[1] ?? ''
  const { headers } = await t.client().request(script)
  expect(headers.get('content-security-policy')).toBe("default-src 'none';script-src 'self';frame-ancestors 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  for (const name of ['origin-agent-cluster', 'x-frame-options', 'x-download-options', 'x-xss-protection'])
    expect(headers.get(name), name).toBeNull()
})

const stylesOf = (text: string) => [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style ?? '')
const hashOf = (style: string) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`

test('the styles of the first paint are in the page, and the content policy allows only these styles', async () => {
  const { text, headers } = await page('/sign-in')
  const styles = stylesOf(text)
  expect(styles).toHaveLength(2)
  expect(styles.join('')).toContain('--accent-fill:')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain(`style-src 'self' ${styles.map(hashOf).join(' ')};`)
  expect(policy).not.toContain('unsafe-inline')
  expect(text).not.toContain('<link rel="stylesheet"')
  const kept = await page('/sign-in', { 'if-none-match': headers.get('etag') ?? '' })
  expect([kept.status, kept.headers.get('content-security-policy')]).toEqual([304, policy])
  const other = await t.client().request('/ok')
  expect(other.headers.get('content-security-policy')).toContain("style-src 'self';")
})

test('a page that needs more styles links them before it is painted', async () => {
  expect((await page('/account')).text).toMatch(/<link rel="stylesheet" crossorigin href="\/assets\/more-[^"]+\.css">/)
})

test('the error page describes the error from the first byte, by its code and with nothing from the address', async () => {
  const german = { 'accept-language': 'de' }
  const { text } = await page('/error?error=ACCESS+DENIED&error_description=intruder', german)
  expect(text).toContain(`<h1>${deLinks['error.denied.title']}</h1>`)
  expect(text).toContain(`<title>${deLinks['error.denied.title']} · `)
  expect(text).not.toContain('intruder')
  for (const query of ['', '?error=intruder', '?error=constructor', '?interaction=1'])
    expect((await page(`/error${query}`, german)).text).toContain(`<h1>${deLinks['error.title']}</h1>`)
})
