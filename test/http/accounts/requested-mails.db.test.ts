import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
beforeAll(async () => {
  const free = { max: 10_000 }
  t = await testApp({
    config: { trustedProxies: ['127.0.0.0/8', '::1'], limits: { enabled: 'on', general: free, strict: free } },
  })
})
afterAll(() => t.stop())

/** Requests a link from a network. Returns true when a mail was sent. */
const ask = async (email: string, network: string, client = t.client(), path = '/forget-password') => {
  const before = await t.mailKinds(email)
  const answer = await client.post(path, { email }, { 'x-forwarded-for': network })
  expect(answer.status).toBe(200)
  return (await t.mailKinds(email)).length > before.length
}

test.each(['/request-password-reset', '/forget-password', '/send-verification-email'])(
  'strangers who request mails with %s do not keep the owner from getting one, because each network has three mails an hour',
  async (path) => {
    const email = `owner${path.length}@example.com`
    await t.signedIn(email)
    const stranger: boolean[] = []
    for (let i = 0; i < 5; i += 1) stranger.push(await ask(email, `203.0.113.${i}`, t.client(), path))
    expect(stranger).toEqual([true, true, true, false, false])
    expect(await ask(email, '198.51.100.7', t.client(), path)).toBe(true)
  },
)

test("untrusted clients of all networks together may request ten mails an hour, and the owner's known browser three more", async () => {
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

test('the link of a reset requested without redirectTo leads to the page that sets the password', async () => {
  await t.signedIn('usable@example.com')
  await t.client().post('/forget-password', { email: 'usable@example.com' })
  const { link } = await t.mailTo('usable@example.com', 'reset-password')
  const page = new URL((await t.client().request(link)).location ?? '')
  expect(page.pathname).toBe('/reset-password')
  const token = page.searchParams.get('token')
  expect((await t.client().post('/reset-password', { token, newPassword: `${password} 2` })).status).toBe(200)
})

describe('mails to one address that untrusted clients request', () => {
  /** Sends all mails to an address that strangers in many networks can request. */
  const flood = async (email: string) => {
    for (let i = 0; i < 6; i += 1) {
      const eve = await t.signedIn(`eve${i}-${email}`)
      await t.verify(`eve${i}-${email}`)
      await eve.api.organizations.createOrganization({ body: { name: 'Evil', slug: `evil${i}-${email.split('@')[0]}` } })
      for (const resend of [false, true, true, true])
        await eve.post('/organization/invite-member', { email, role: 'member', resend })
    }
    for (let i = 0; i < 15; i += 1)
      for (const path of ['/forget-password', '/send-verification-email'])
        await t.client().post(path, { email }, { 'x-forwarded-for': `203.1.${i}.1` })
    return t.mailKinds(email)
  }
  const resetToken = async (client: Client, link: string) =>
    new URL((await client.request(link)).location ?? '').searchParams.get('token')

  test('mails requested by untrusted clients do not suppress the notices of a new password, a new address or a new sign-in', async () => {
    const email = 'told@example.com'
    const owner = await t.signedIn(email)
    const before = await flood(email)
    const count = (kind: string) => before.filter((one) => one === kind).length
    expect([count('invitation'), count('reset-password'), count('verification')]).toEqual([5, 10, 10])
    await t.client().post('/sign-in/email', { email, password }, { 'x-forwarded-for': '198.51.100.9', 'user-agent': 'Other' })
    await owner.post('/change-password', { currentPassword: password, newPassword: `${password} 2` })
    await owner.post('/change-email', { newEmail: 'told-elsewhere@example.com' })
    expect((await t.mailKinds(email)).slice(before.length)).toEqual(['new-device', 'password-changed', 'email-changed'])
  })

  test('reset links requested by untrusted clients leave the owner a valid link, or the owner gets a new link after a thief invalidated the others', async () => {
    const email = 'robbed@example.com'
    const thief = await t.signedIn(email)
    await t.verify(email)
    const before = await flood(email)
    // In an unknown browser the owner gets no further mail, but the links in the mailbox are valid.
    expect(await ask(email, '198.51.100.20')).toBe(false)
    const { link } = await t.mailTo(email, 'reset-password')
    expect(await resetToken(t.client(), link)).not.toBeNull()
    // A new password invalidates the links, so the next reset request sends a mail again.
    await thief.post('/change-password', { currentPassword: password, newPassword: `${password} 2` })
    expect(await resetToken(t.client(), link)).toBeNull()
    expect(await ask(email, '198.51.100.20')).toBe(true)
    expect((await t.mailKinds(email)).slice(before.length)).toEqual(['password-changed', 'reset-password'])
    // With one valid link in the mailbox no further mail is sent.
    expect(await ask(email, '198.51.100.21')).toBe(false)
    const token = await resetToken(
      t.client(),
      (await t.mails()).find(({ to, kind }) => to === email && kind === 'reset-password')?.link ?? '',
    )
    expect((await t.client().post('/reset-password', { token, newPassword: `${password} 3` })).status).toBe(200)
    expect((await thief.request('/get-session')).text).toBe('null')
  })

  test('a reset link that is not mailed is not stored', async () => {
    const email = 'unsent@example.com'
    await t.signedIn(email)
    const { id } = await t.app.users.require(t.app.core.db, email)
    await flood(email)
    expect(await t.app.core.db.knex('verification').where({ user_id: id })).toHaveLength(10)
  })
})
