/** Recovery codes, which replace a lost second factor. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Answer, Client } from '../../support/client.ts'
import { codeOf, withAuthenticator, withPassword } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  t.clock.hold()
})
beforeEach(() => t.clock.advance({ seconds: 90 }))
afterAll(() => t.stop())

const use = (browser: Client, code: string | undefined, more: object = {}) =>
  browser.post('/two-factor/verify-backup-code', { code, ...more })
const outcome = ({ status, json }: Answer) => (status === 200 ? 200 : [status, json['code']])
const isSignedIn = async (browser: Client) => (await browser.api.sessions.getSession()) !== null

test('a recovery code works once after the password, in upper or lower case, with or without separators', async () => {
  const email = 'used@example.com'
  const { recoveryCodes } = await withAuthenticator(t, email)
  for (const code of recoveryCodes) expect(code).toMatch(/^[a-km-np-z2-9]{5}-[a-km-np-z2-9]{5}$/)
  expect(new Set(recoveryCodes).size).toBe(10)
  const browser = await withPassword(t, email)
  const typed = ` ${recoveryCodes[0]?.toUpperCase().replace('-', ' ')}`
  const answer = await use(browser, typed)
  expect(answer.json).toMatchObject({ token: expect.any(String), user: { email }, backupCodesLeft: 9, fewBackupCodesLeft: false })
  expect(await isSignedIn(browser)).toBe(true)
  const other = await withPassword(t, email)
  expect(outcome(await use(other, recoveryCodes[0]))).toEqual([401, 'INVALID_BACKUP_CODE'])
  expect(outcome(await use(other, recoveryCodes[1]))).toBe(200)
})

testOnBoth('of many simultaneous sign-ins with one recovery code one succeeds', async () => {
  const email = 'race@example.com'
  const { recoveryCodes } = await withAuthenticator(t, email)
  const browsers = await Promise.all(Array.from({ length: 6 }, () => withPassword(t, email)))
  const answers = await Promise.all(browsers.map((browser) => use(browser, recoveryCodes[0])))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await Promise.all(browsers.map(isSignedIn))).filter((is) => is)).toHaveLength(1)
})

test('when three recovery codes are left, the answer and a mail to the owner say so', async () => {
  const email = 'few@example.com'
  const { browser, recoveryCodes } = await withAuthenticator(t, email)
  const answers: unknown[] = []
  for (const code of recoveryCodes.slice(0, 7)) {
    const { json } = await use(browser, code)
    answers.push([json['backupCodesLeft'], json['fewBackupCodesLeft']])
  }
  expect(answers.slice(-2)).toEqual([
    [4, false],
    [3, true],
  ])
  expect((await t.mailTo(email, 'few-recovery-codes')).raw).toContain('Unused codes left: 3.')
  expect((await t.mailKinds(email)).filter((kind) => kind === 'few-recovery-codes')).toHaveLength(1)
  expect((await browser.api.twoFactor.status()).recoveryCodes).toMatchObject({ left: 3 })
})

test('new recovery codes require the second factor in this session and replace the former recovery codes', async () => {
  const email = 'new@example.com'
  const { browser, totpURI, recoveryCodes } = await withAuthenticator(t, email)
  t.clock.advance({ hours: 25 })
  const generate = (body: object = { password }) => browser.post('/two-factor/generate-backup-codes', body)
  expect(outcome(await generate())).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  expect(outcome(await generate({ password: 'wrong password' }))).toEqual([400, 'INVALID_PASSWORD'])
  const { status, backupCodes } = await browser.api.twoFactor.generateBackupCodes({ body: { password } })
  expect([status, backupCodes.length]).toEqual([true, 10])
  const other = await withPassword(t, email)
  expect(outcome(await use(other, recoveryCodes[0]))).toEqual([401, 'INVALID_BACKUP_CODE'])
  expect(outcome(await use(other, backupCodes[0]))).toBe(200)
})

test('a person without a second factor has no recovery codes', async () => {
  const browser = await t.signedIn('none@example.com')
  const generated = await browser.post('/two-factor/generate-backup-codes', { password })
  expect(outcome(generated)).toEqual([400, 'TWO_FACTOR_NOT_ENABLED'])
  expect(outcome(await use(browser, 'aaaaa-aaaaa'))).toEqual([400, 'BACKUP_CODES_NOT_ENABLED'])
  expect(outcome(await use(t.client(), 'aaaaa-aaaaa'))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
})

test('a recovery code with disableSession is used up and starts no session', async () => {
  const email = 'sessionless@example.com'
  const { recoveryCodes } = await withAuthenticator(t, email)
  const browser = await withPassword(t, email)
  const answer = await use(browser, recoveryCodes[0], { disableSession: true })
  expect(answer.json).toMatchObject({ token: null, user: { email }, backupCodesLeft: 9 })
  expect(await isSignedIn(browser)).toBe(false)
  expect(outcome(await use(browser, recoveryCodes[0]))).toEqual([401, 'INVALID_BACKUP_CODE'])
})

test('recovery codes of another user are refused as wrong', async () => {
  const mine = await withAuthenticator(t, 'mine@example.com')
  await withAuthenticator(t, 'theirs@example.com')
  const browser = await withPassword(t, 'theirs@example.com')
  expect(outcome(await use(browser, mine.recoveryCodes[0]))).toEqual([401, 'INVALID_BACKUP_CODE'])
  expect(outcome(await use(mine.browser, mine.recoveryCodes[0]))).toBe(200)
})

test('wrong recovery codes and wrong authenticator app codes share one counter of attempts', async () => {
  const email = 'guessed@example.com'
  await withAuthenticator(t, email)
  const browser = await withPassword(t, email)
  for (let i = 0; i < 5; i += 1) {
    expect((await use(browser, 'aaaaa-aaaaa')).status).toBe(401)
    expect((await browser.post('/two-factor/verify-totp', { code: 'aaaaaa' })).status).toBe(401)
  }
  expect((await use(browser, 'aaaaa-aaaaa')).status).toBe(429)
})

test('recovery codes are stored as hashes keyed by a sealed key per user, and are deleted with their user', async () => {
  const { browser, recoveryCodes } = await withAuthenticator(t, 'stored@example.com')
  const { knex } = t.app.core.db
  const id = (await browser.api.sessions.getSession())?.user.id
  const [list] = await knex('recovery_code_list').where({ user_id: id })
  expect(list.key).toMatch(/^01[0-9a-f]{100,}$/)
  const hashes = await knex('recovery_code').where({ list_id: list.id }).pluck('code_hash')
  expect(hashes).toHaveLength(10)
  for (const hash of hashes) expect(hash).toMatch(/^[\w+/]{43}=$/)
  for (const table of ['recovery_code', 'recovery_code_list', 'event', 'task']) {
    const stored = JSON.stringify(await knex(table).select())
    for (const code of recoveryCodes) expect(stored).not.toContain(code)
  }
  await browser.api.deletion.deleteUser({ body: { password } })
  expect(await knex('recovery_code').where({ list_id: list.id })).toEqual([])
})
