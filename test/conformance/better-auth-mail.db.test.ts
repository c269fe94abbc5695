/** The plugins `magicLinkClient`, `emailOTPClient` and `twoFactorClient` of the official client, unchanged. */
import { createAuthClient } from 'better-auth/client'
import { emailOTPClient, magicLinkClient, twoFactorClient } from 'better-auth/client/plugins'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { done, refused } from '../support/better-auth.ts'
import { codeOf } from '../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { mailSignIn: { enabled: true, signUp: true }, secondFactor: { mailCodes: true } } })
})
afterAll(() => t.stop())

const application = () => {
  const browser = t.client()
  const plugins = [magicLinkClient(), emailOTPClient(), twoFactorClient()]
  return createAuthClient({ baseURL: t.url, plugins, fetchOptions: { customFetchImpl: browser.fetch } })
}
const codeIn = (raw: string) => /^(\d{6})\s*$/m.exec(raw)?.[1] ?? ''

test('a person signs in by the Better Auth client with the mailed link, and a new person gets an account', async () => {
  const auth = application()
  const asked = await auth.signIn.magicLink({ email: 'link@example.com', name: 'Lin Kay', callbackURL: '/home' })
  expect(done(asked)).toEqual({ status: true })
  const { link } = await t.mailTo('link@example.com', 'sign-in')
  const token = new URL(link).searchParams.get('token') ?? ''
  expect(refused(await application().magicLink.verify({ query: { token } }))).toEqual([
    ...[403, 'OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED', 'Open the link in the browser in which you asked for it'],
  ])
  const signedIn = done(await auth.magicLink.verify({ query: { token } }))
  expect(signedIn).toMatchObject({ user: { name: 'Lin Kay', emailVerified: true }, session: { userId: expect.any(String) } })
  expect(done(await auth.getSession()).user.email).toBe('link@example.com')
})

test('a person signs in by the Better Auth client with the mailed code', async () => {
  const auth = application()
  const email = 'code@example.com'
  expect(done(await auth.emailOtp.sendVerificationOtp({ email, type: 'sign-in' }))).toEqual({ success: true })
  const otp = codeIn((await t.mailTo(email, 'sign-in')).raw)
  const wrong = otp === '000000' ? '000001' : '000000'
  expect(refused(await auth.signIn.emailOtp({ email, otp: wrong }))).toEqual([400, 'INVALID_OTP', 'Invalid OTP'])
  expect(done(await auth.signIn.emailOtp({ email, otp }))).toMatchObject({ token: expect.any(String), user: { email } })
  expect(done(await auth.getSession()).user.email).toBe(email)
})

test('a person uses a mailed code as the second factor by the Better Auth client', async () => {
  const email = 'second@example.com'
  const first = application()
  done(await first.signUp.email({ email, name: 'Ann Example', password }))
  await t.verify(email)
  const { totpURI = '' } = done(await first.twoFactor.enable({ password })) as { totpURI?: string }
  done(await first.twoFactor.verifyTotp({ code: codeOf(totpURI) }))
  const auth = application()
  expect(done(await auth.signIn.email({ email, password }))).toMatchObject({ twoFactorRedirect: true })
  expect(done(await auth.twoFactor.sendOtp())).toEqual({ status: true })
  const code = codeIn((await t.mailTo(email, 'second-factor-code')).raw)
  expect(done(await auth.twoFactor.verifyOtp({ code, trustDevice: true }))).toMatchObject({ token: expect.any(String) })
  expect(done(await auth.getSession()).user.email).toBe(email)
})
