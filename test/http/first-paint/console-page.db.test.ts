import { get } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'

const name = 'Nord & <script>wind</script>'
let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { brand: { name } } })
})
afterAll(() => t.stop())

const page = (path: string, headers: Record<string, string> = {}) =>
  t.client().request(path, { headers: { accept: 'text/html', ...headers } })

test('every address below /admin shows the console to a browser that loads a page, signed in or not', async () => {
  for (const path of ['/admin', '/admin/', '/admin/users', '/admin/users/u1', '/admin/nothing/at/all']) {
    const { status, text, headers } = await page(path)
    expect(status, path).toBe(200)
    expect(text).toContain('<html lang="en" class="inside">')
    expect(text).toContain('<title>Console · Nord &amp; &lt;script&gt;wind&lt;/script&gt;</title>')
    expect(text).toContain('inside-shell')
    expect(text).toMatch(/<noscript>.*JavaScript.*<\/noscript>/)
    expect(headers.get('vary')).toBe('Accept, Authorization, Accept-Encoding, Accept-Language, Cookie')
    expect(headers.get('content-security-policy')).toContain("style-src 'self'")
  }
  expect((await page('/administration')).status).toBe(404)
  expect((await page('/api/auth/admin/users')).status).toBe(401)
})

test('the console page is in the language of the browser from the first byte, or in English, and loads only texts of that language', async () => {
  const load = async (languages: string) => (await page('/admin', { 'accept-language': languages })).text
  const [french, english, other] = [await load('fr-CA, fr;q=0.9'), await load('en'), await load('ja')]
  expect(french).toContain('<html lang="fr" class="inside">')
  expect(other).toBe(english)
  const texts = (html: string) =>
    [...html.matchAll(/"modulepreload" crossorigin href="\/assets\/([a-z]{2})-/g)].map(([, tag]) => tag)
  expect(texts(english)).toEqual(['en', 'en'])
  expect(texts(french)).toEqual(['fr', 'fr'])
})

test('programs, and downloads of a browser, get the JSON resource at the address of a console page', async () => {
  const auditor = await signedInAs(t, 'auditor')
  const asked = await auditor.request('/admin/users', { headers: { accept: 'application/json' } })
  expect(asked.json).toMatchObject({ users: [{ email: 'auditor@staff.example' }] })
  expect((await auditor.request('/admin/users')).json).toMatchObject({ next: null })
  const file = await auditor.request('/admin/events/export', { headers: { accept: 'text/html,*/*' } })
  expect(file.headers.get('content-type')).not.toContain('text/html')
  expect((await t.client().request('/admin/users', { method: 'POST', headers: { accept: 'text/html' } })).text).not.toContain(
    'inside-shell',
  )
})

test("a request with a token gets the JSON resource, even if its library accepts HTML first, as Java's does", async () => {
  const auditor = await signedInAs(t, 'auditor', 'program@staff.example')
  const accept = 'text/html, image/gif, image/jpeg, */*; q=0.2'
  const token = (await auditor.api.sessions.getSession())?.session.token
  const asked = await t.client().request('/admin/users', { headers: { accept, authorization: `Bearer ${token}` } })
  expect([asked.status, asked.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  // The Authorization headers of proxies before the console, which ask browsers for a password or vouch for them. `fetch` sets its own
  // mode.
  for (const added of [{ authorization: 'Basic dTpw' }, { authorization: 'Bearer abc', 'sec-fetch-mode': 'navigate' }]) {
    const loaded = new Promise<string>((resolve, reject) =>
      get(`${t.url}/admin/users`, { headers: { accept: 'text/html', ...added } }, (answer) => resolve(textOf(answer))).on(
        'error',
        reject,
      ),
    )
    expect(await loaded).toContain('inside-shell')
  }
})

test('the start page of the console answers every GET and HEAD with the page, even for programs and with a token', async () => {
  for (const path of ['/admin', '/admin/'])
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }, { authorization: 'Bearer abc' }])
      for (const method of ['GET', 'HEAD']) {
        const answer = await t.client().request(path, { method, headers })
        expect([answer.status, answer.headers.get('content-type')], `${method} ${path}`).toEqual([
          200,
          'text/html; charset=utf-8',
        ])
      }
  const beside = await t.client().request('/admin/nowhere', { headers: { accept: '*/*' } })
  expect([beside.status, beside.json['code']]).toEqual([404, 'NOT_FOUND'])
  expect((await t.client().request('/admin', { method: 'POST' })).status).toBe(404)
})

test('the console page names the files that it needs first, and all of them exist', async () => {
  const { text } = await page('/admin')
  const files = [...text.matchAll(/ (?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '')
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) expect([file, (await t.client().request(file)).status]).toEqual([file, 200])
})
