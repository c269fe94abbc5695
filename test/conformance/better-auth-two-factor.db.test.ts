/** The plugin `twoFactorClient` of the official client, unchanged. */
import { createAuthClient } from 'better-auth/client'
import { twoFactorClient } from 'better-auth/client/plugins'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { done, refused } from '../support/better-auth.ts'
import { codeOf } from '../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  t.clock.hold()
})
beforeEach(() => t.clock.advance({ seconds: 90 }))
afterAll(() => t.stop())

const application = () => {
  const browser = t.client()
  const redirects: (readonly string[] | undefined)[] = []
  const onTwoFactorRedirect = ({ twoFactorMethods }: { twoFactorMethods?: string[] }) => void redirects.push(twoFactorMethods)
  const plugins = [twoFactorClient({ onTwoFactorRedirect })]
  const auth = createAuthClient({ baseURL: t.url, plugins, fetchOptions: { customFetchImpl: browser.fetch } })
  return { auth, redirects }
}

const signedUp = async (email: string) => {
  const client = application()
  done(await client.auth.signUp.email({ email, name: 'Ann Example', password }))
  const { totpURI = '', backupCodes = [] } = done(await client.auth.twoFactor.enable({ password })) as {
    totpURI?: string
    backupCodes?: string[]
  }
  done(await client.auth.twoFactor.verifyTotp({ code: codeOf(totpURI) }))
  return { ...client, totpURI, backupCodes }
}

test('the Better Auth client enables two-factor authentication, shows the address of the QR code, and disables it again', async () => {
  const { auth, totpURI, backupCodes } = await signedUp('ann@example.com')
  expect(totpURI).toMatch(/^otpauth:\/\/totp\//)
  expect(backupCodes).toHaveLength(10)
  expect(done(await auth.getSession()).user).toMatchObject({ twoFactorEnabled: true })
  expect(done(await auth.twoFactor.getTotpUri({ password }))).toEqual({ totpURI })
  expect(done(await auth.twoFactor.disable({ password }))).toEqual({ status: true })
  expect(done(await auth.getSession()).user).toMatchObject({ twoFactorEnabled: false })
})

test('the Better Auth client learns after the password that a code is needed, and the code signs in', async () => {
  const { totpURI } = await signedUp('bob@example.com')
  t.clock.advance({ seconds: 30 })
  const { auth, redirects } = application()
  const first = done(await auth.signIn.email({ email: 'bob@example.com', password }))
  expect(first).toMatchObject({ twoFactorRedirect: true })
  expect(redirects).toEqual([expect.arrayContaining(['totp'])])
  expect((await auth.getSession()).data).toBeNull()
  const { token, user } = done(await auth.twoFactor.verifyTotp({ code: codeOf(totpURI), trustDevice: true }))
  expect(user).toMatchObject({ email: 'bob@example.com', twoFactorEnabled: true })
  expect(done(await auth.getSession()).session.token).toBe(token)
  done(await auth.signOut())
  expect(done(await auth.signIn.email({ email: 'bob@example.com', password }))).toMatchObject({ token: expect.any(String) })
})

test('a backup code signs in once by the Better Auth client, and new backup codes can be created', async () => {
  const { backupCodes } = await signedUp('cleo@example.com')
  const code = backupCodes[0] ?? ''
  const { auth } = application()
  await auth.signIn.email({ email: 'cleo@example.com', password })
  expect(done(await auth.twoFactor.verifyBackupCode({ code }))).toMatchObject({ user: { email: 'cleo@example.com' } })
  const { status, backupCodes: next } = done(await auth.twoFactor.generateBackupCodes({ password }))
  expect([status, next.length]).toEqual([true, 10])
  const other = application()
  await other.auth.signIn.email({ email: 'cleo@example.com', password })
  expect(refused(await other.auth.twoFactor.verifyBackupCode({ code }))).toEqual([
    401,
    'INVALID_BACKUP_CODE',
    'Invalid backup code',
  ])
  expect(done(await other.auth.twoFactor.verifyBackupCode({ code: next[0] ?? '' }))).toMatchObject({ token: expect.any(String) })
})

test('errors of two-factor calls have the codes and messages that the Better Auth client knows', async () => {
  const { auth, totpURI } = await signedUp('dora@example.com')
  expect(refused(await auth.twoFactor.enable({ password }))).toEqual([400, 'TOTP_ALREADY_ENABLED', 'TOTP is already enabled'])
  expect(refused(await auth.twoFactor.enable({ password: 'wrong password' }))).toEqual([
    400,
    'INVALID_PASSWORD',
    'Invalid password',
  ])
  expect(refused(await auth.twoFactor.verifyTotp({ code: codeOf(totpURI) }))).toEqual([401, 'INVALID_CODE', 'Invalid code'])
  const stranger = application().auth
  const cookie = [401, 'INVALID_TWO_FACTOR_COOKIE', 'Invalid two factor cookie']
  expect(refused(await stranger.twoFactor.verifyTotp({ code: '123456' }))).toEqual(cookie)
  expect(refused(await stranger.twoFactor.verifyBackupCode({ code: 'aaaaa-aaaaa' }))).toEqual(cookie)
  const plain = application().auth
  done(await plain.signUp.email({ email: 'emil@example.com', name: 'Emil', password }))
  expect(refused(await plain.twoFactor.getTotpUri({ password }))).toEqual([400, 'TOTP_NOT_ENABLED', 'TOTP not enabled'])
  expect(refused(await plain.twoFactor.generateBackupCodes({ password }))).toEqual([
    400,
    'TWO_FACTOR_NOT_ENABLED',
    "Two factor isn't enabled",
  ])
  expect(refused(await plain.twoFactor.verifyBackupCode({ code: 'aaaaa-aaaaa' }))).toEqual([
    400,
    'BACKUP_CODES_NOT_ENABLED',
    "Backup codes aren't enabled",
  ])
})
