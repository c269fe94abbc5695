import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

const signUp = async (email: string) => {
  const client = t.client()
  await client.post('/sign-up/email', { email, name: 'Ann', password }, { 'user-agent': firefox })
  return client
}
const signIn = (client: Client, email: string, userAgent: string) =>
  client.post('/sign-in/email', { email, password }, { 'user-agent': userAgent })

test('a sign-in from a new browser sends the owner one mail', async () => {
  await signUp('ann@example.com')
  const phone = t.client()
  expect((await signIn(phone, 'ann@example.com', safari)).status).toBe(200)
  expect(await t.mailKinds('ann@example.com')).toEqual(['new-device'])
  expect((await t.mailTo('ann@example.com')).raw).toContain('Safari on iPhone')
  await phone.post('/sign-out')
  await signIn(phone, 'ann@example.com', safari)
  expect(await t.mailKinds('ann@example.com')).toEqual(['new-device'])
})

test('a sign-up, a sign-in from the same browser, and a sign-in without cookies from the same kind of browser and network send no mail about a new browser', async () => {
  const client = await signUp('bob@example.com')
  await client.post('/sign-out')
  await signIn(client, 'bob@example.com', firefox.replaceAll('140', '141'))
  await signIn(t.client(), 'bob@example.com', firefox)
  expect(await t.mailKinds('bob@example.com')).toEqual([])
})

test('the device cookie is signed, long-lived, set once, and stays after sign-out', async () => {
  const client = t.client()
  const answer = await client.post('/sign-up/email', { email: 'cas@example.com', name: 'Cas', password })
  const line = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('gatehouse.device='))
  expect(line).toMatch(/^gatehouse\.device=[A-Za-z0-9]{32}\.[^;]+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
  const device = client.cookies.get('gatehouse.device')
  await client.post('/sign-out')
  const again = await client.post('/sign-in/email', { email: 'cas@example.com', password })
  expect(again.headers.getSetCookie().filter((cookie) => cookie.startsWith('gatehouse.device='))).toEqual([])
  expect(client.cookies.get('gatehouse.device')).toBe(device)
})

test('a password reset makes all earlier browsers unknown, and a sign-in from an earlier browser sends the mail about a new browser', async () => {
  await signUp('fay@example.com')
  const thief = t.client()
  await signIn(thief, 'fay@example.com', safari)
  await t.client().post('/request-password-reset', { email: 'fay@example.com' })
  await t.mailKinds('fay@example.com')
  const token = /reset-password\/(\w+)/.exec((await t.mailTo('fay@example.com', 'reset-password')).link)?.[1]
  const own = { 'user-agent': firefox }
  expect((await t.client().post('/reset-password', { token, newPassword: password }, own)).status).toBe(200)
  await signIn(t.client(), 'fay@example.com', firefox)
  await signIn(thief, 'fay@example.com', safari)
  expect(await t.mailKinds('fay@example.com')).toEqual(['new-device', 'reset-password', 'password-changed', 'new-device'])
})

test('a known device is stored as a hash and deleted after 400 days', async () => {
  const client = await signUp('dan@example.com')
  const id = client.cookies.get('gatehouse.device')?.split('.')[0] ?? ''
  const { knex } = t.app.core.db
  expect(JSON.stringify(await knex('known_device').select())).not.toContain(id)
  t.clock.advance({ days: 401 })
  await t.app.sessions.sweep()
  expect(await knex('known_device').select()).toEqual([])
})

test('an account keeps its 500 most recently used known devices', async () => {
  await signUp('gil@example.com')
  const { db, transact } = t.app.core
  const { id }: { id: string } = await db.knex('user').where({ email: 'gil@example.com' }).first('id')
  const last_used_at = new Date(Date.now() - 60_000)
  const old = Array.from({ length: 600 }, (_, n) => ({ user_id: id, key_hash: `old${n}`, last_used_at }))
  await db.knex.batchInsert('known_device', old, 100)
  const principal = { kind: 'anonymous', address: '', userAgent: '', requestId: '', deviceId: () => 'newest' } as const
  await transact((tx) => t.app.sessions.rememberDevice(tx, id, principal))
  expect(await db.knex('known_device').where({ user_id: id })).toHaveLength(500)
  expect(await t.app.sessions.isKnownDevice(db, id, 'newest')).toBe(true)
})

test('the mail about a new browser can be switched off', async () => {
  const quiet = await testApp({ config: { accounts: { newDeviceMail: false } } })
  await quiet.signedIn('eve@example.com')
  await quiet.client().post('/sign-in/email', { email: 'eve@example.com', password }, { 'user-agent': safari })
  expect(await quiet.mailKinds('eve@example.com')).toEqual([])
  await quiet.stop()
})
