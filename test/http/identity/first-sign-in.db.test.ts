/** The first sign-in of people created by an administrator, and links for people who are locked out. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { operator } from '../organizations/people.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp({ config: { access: { roles: { clerk: { permissions: ['users:read', 'users:create'] } } } } })
  admin = await signedInAs(t, 'admin')
})
afterAll(() => t.stop())

const codeOf = ({ status, json }: Answer) => [status, json['code']]
const idOf = async (email: string) => (await t.app.users.require(t.app.core.db, email)).id
const tokenIn = (url: string) => new URL(url).searchParams.get('token') ?? ''
const linkOf = async (email: string) => admin.post(`/admin/users/${await idOf(email)}/recovery-link`, {})

test('a person created with a mailed link sets a password with the link, and the email address is verified', async () => {
  const email = 'mailed@example.com'
  const made = await admin.post('/admin/create-user', { email, name: 'Mailed', firstSignIn: 'mail' })
  expect([made.status, made.json['link']]).toEqual([200, undefined])
  const { link } = await t.mailTo(email, 'reset-password')
  const token = /reset-password\/(\w+)/.exec(link)?.[1] ?? tokenIn(link)
  const browser = t.client()
  expect((await browser.post('/reset-password', { token, newPassword: password })).status).toBe(200)
  expect((await browser.post('/sign-in/email', { email, password })).status).toBe(200)
  expect((await t.app.users.require(t.app.core.db, email)).emailVerified).toBe(true)
})

test('the link for a created person is returned once, and sets one password', async () => {
  const email = 'linked@example.com'
  const body = { email, name: 'Linked', firstSignIn: 'link', data: { emailVerified: true } }
  const made = await admin.post('/admin/create-user', body)
  const { url } = made.json['link'] as { readonly url: string }
  const browser = t.client()
  const use = () => browser.post('/reset-password', { token: tokenIn(url), newPassword: password })
  expect((await use()).status).toBe(200)
  expect((await browser.post('/sign-in/email', { email, password })).status).toBe(200)
  expect(codeOf(await use())).toEqual([400, 'INVALID_TOKEN'])
})

test('creating a person with a link requires an email address marked as verified, and otherwise nobody is created', async () => {
  const body = { email: 'unproven@example.com', name: 'Unproven', firstSignIn: 'link' }
  expect(codeOf(await admin.post('/admin/create-user', body))).toEqual([400, 'RECOVERY_NEEDS_A_VERIFIED_ADDRESS'])
  const both = { ...body, password, data: { emailVerified: true } }
  expect(codeOf(await admin.post('/admin/create-user', both))).toEqual([400, 'VALIDATION_ERROR'])
  expect(await t.app.users.findByEmail(t.app.core.db, body.email)).toBeUndefined()
})

test('a recovery link lets a locked-out person in, and is refused for banned and unknown people and for oneself', async () => {
  const email = 'locked@example.com'
  await t.signedIn(email)
  expect(codeOf(await linkOf(email))).toEqual([400, 'RECOVERY_NEEDS_A_VERIFIED_ADDRESS'])
  await t.verify(email)
  const { url } = (await linkOf(email)).json as { readonly url: string }
  const newPassword = 'another battery staple'
  expect((await t.client().post('/reset-password', { token: tokenIn(url), newPassword })).status).toBe(200)
  await t.app.administration.ban(operator, email, 'test', undefined)
  expect(codeOf(await linkOf(email))).toEqual([403, 'BANNED_USER'])
  expect(codeOf(await admin.post('/admin/users/nobody/recovery-link', {}))).toEqual([404, 'USER_NOT_FOUND'])
  expect(codeOf(await linkOf('admin@staff.example'))).toEqual([403, 'FORBIDDEN'])
  const clerk = await signedInAs(t, 'clerk')
  expect(codeOf(await clerk.post(`/admin/users/${await idOf(email)}/recovery-link`, {}))).toEqual([403, 'FORBIDDEN'])
})

test('while password resets are off, neither a mailed link nor a returned link is created for a person', async () => {
  const s = await testApp({ config: { accounts: { passwordResetEnabled: false } } })
  const boss = await signedInAs(s, 'admin')
  const off = [400, 'RESET_PASSWORD_ISNT_ENABLED']
  for (const firstSignIn of ['mail', 'link'])
    expect(
      codeOf(
        await boss.post('/admin/create-user', { email: 'x@example.com', name: 'X', firstSignIn, data: { emailVerified: true } }),
      ),
    ).toEqual(off)
  await s.signedIn('y@example.com')
  const { id } = await s.app.users.require(s.app.core.db, 'y@example.com')
  expect(codeOf(await boss.post(`/admin/users/${id}/recovery-link`, {}))).toEqual(off)
  await s.stop()
})
