/** Times in mails are in the time zone of the reader. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { readMail } from '../../support/mailbox.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'

let github: FakeGitHub
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({ config: { outbound, social: { github: github.section }, mailSignIn: { enabled: true, signUp: true } } })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

const zone = (name: string) => ({ 'gatehouse-time-zone': name })
const stored = async (email: string) => (await t.app.users.require(t.app.core.db, email)).timeZone
const signUp = async (email: string, headers: Record<string, string>) => {
  const client = t.client()
  await client.post('/sign-up/email', { email, name: 'Ann', password }, headers)
  return client
}

test('the time zone of a sign-up is stored, used in mails, and part of the person’s personal data download', async () => {
  const email = 'ann@example.com'
  const client = await signUp(email, zone('Asia/Tokyo'))
  expect(await stored(email)).toBe('Asia/Tokyo')
  await t.client().post('/sign-in/email', { email, password }, { 'user-agent': 'curl/8.0', ...zone('America/Lima') })
  expect((await readMail((await t.mailTo(email, 'new-device')).raw)).text).toMatch(/Time: .* GMT\+9/)
  const { text } = await client.request('/download-user-data')
  expect(JSON.parse(text).profile).toMatchObject([{ email, timeZone: 'Asia/Tokyo' }])
})

test('a sign-in from a known browser changes the time zone of mails, and a sign-in from an unknown browser does not', async () => {
  const email = 'bob@example.com'
  const client = await signUp(email, zone('Europe/Berlin'))
  await t.client().post('/sign-in/email', { email, password }, { 'user-agent': 'curl/8.0', ...zone('America/Lima') })
  expect(await stored(email)).toBe('Europe/Berlin')
  await client.post('/sign-in/email', { email, password }, zone('America/Lima'))
  expect(await stored(email)).toBe('America/Lima')
})

test('a sign-in by provider or mail stores the time zone of the request that started the sign-in', async () => {
  github.state.person = githubPerson(9001, 'cat@example.com')
  const browser = t.client()
  const started = await browser.post('/sign-in/social', { provider: 'github', callbackURL: '/account' }, zone('Asia/Tokyo'))
  await browser.request(await atProvider(String(started.json['url'])))
  expect(await stored('cat@example.com')).toBe('Asia/Tokyo')

  const other = t.client()
  await other.post('/sign-in/magic-link', { email: 'dan@example.com', callbackURL: '/account' }, zone('America/Lima'))
  await t.mails()
  await other.request((await t.mailTo('dan@example.com', 'sign-in')).link)
  expect(await stored('dan@example.com')).toBe('America/Lima')
})

test.each(['', 'Nowhere/None', '+02:00', 'UTC\u00001', '../../etc', 'x'.repeat(65), 'Europe/Berlin, Asia/Tokyo'])(
  'an unknown time zone is not stored, and mails use UTC: %j',
  async (name) => {
    const email = `${Buffer.from(name).toString('hex').slice(0, 40)}x@example.com`
    const header = [...name].every((sign) => sign >= ' ') ? zone(name) : {}
    await signUp(email, header)
    expect(await stored(email)).toBeNull()
    await t.client().post('/sign-in/email', { email, password }, { 'user-agent': 'curl/8.0' })
    expect((await readMail((await t.mailTo(email, 'new-device')).raw)).text).toMatch(/Time: .* UTC/)
  },
)
