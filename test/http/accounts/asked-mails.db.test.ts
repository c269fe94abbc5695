import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  const strict = { max: 1000 }
  t = await testApp({ config: { trustedProxies: ['127.0.0.0/8', '::1'], limits: { enabled: 'on', strict } } })
})
afterAll(() => t.stop())

/** Asks for a link from somewhere; true when it was mailed. */
const ask = async (email: string, network: string, client = t.client(), path = '/forget-password') => {
  const before = await t.mailKinds(email)
  const answer = await client.post(path, { email }, { 'x-forwarded-for': network })
  expect(answer.status).toBe(200)
  return (await t.mailKinds(email)).length > before.length
}

test.each(['/request-password-reset', '/forget-password', '/send-verification-email'])(
  'mails a stranger asks for with %s do not keep the owner from theirs: each network has three an hour',
  async (path) => {
    const email = `owner${path.length}@example.com`
    await t.signedIn(email)
    const stranger: boolean[] = []
    for (let i = 0; i < 5; i += 1) stranger.push(await ask(email, `203.0.113.${i}`, t.client(), path))
    expect(stranger).toEqual([true, true, true, false, false])
    expect(await ask(email, '198.51.100.7', t.client(), path)).toBe(true)
  },
)

test('strangers from everywhere get ten an hour; the browser the owner signed in with still gets its three', async () => {
  const owner = await t.signedIn('many@example.com')
  await owner.post('/sign-out')
  for (let i = 0; i < 12; i += 1) await ask('many@example.com', `203.0.${i}.1`)
  expect(await t.mailKinds('many@example.com')).toHaveLength(10)
  expect(await ask('many@example.com', '203.0.77.1')).toBe(false)
  const other = await t.signedIn('other@example.com')
  expect(await ask('many@example.com', '203.0.78.1', other)).toBe(false)
  const own: boolean[] = []
  for (let i = 0; i < 4; i += 1) own.push(await ask('many@example.com', '203.0.1.1', owner))
  expect(own).toEqual([true, true, true, false])
})

test('the link asked for without a target leads to a page that sets the password', async () => {
  await t.signedIn('usable@example.com')
  await t.client().post('/forget-password', { email: 'usable@example.com' })
  const { link } = await t.mailTo('usable@example.com', 'reset-password')
  const page = new URL((await t.client().request(link)).location ?? '')
  expect(page.pathname).toBe('/reset-password')
  const token = page.searchParams.get('token')
  expect((await t.client().post('/reset-password', { token, newPassword: `${password} 2` })).status).toBe(200)
})
