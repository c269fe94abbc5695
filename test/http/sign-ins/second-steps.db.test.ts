/** Explanations of second factors and of sign-ins by mail. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { codeOf, withAuthenticator, withPassword, wrongCode } from '../../support/totp.ts'
import { register } from '../oidc/flow.ts'
import { operator, owner } from '../organizations/people.ts'

let t: TestApp
let support: Client
beforeAll(async () => {
  t = await testApp({
    config: {
      mailSignIn: { enabled: true },
      accounts: { guessing: { resetAfter: 12, firstWaitSeconds: 1, longestWaitSeconds: 1 } },
    },
  })
  t.clock.hold()
  support = await signedInAs(t, 'auditor')
})
afterAll(() => t.stop())

const explain = (user: string, more: { readonly client?: string } = {}, by = support) =>
  by.api.signIns.explainSignIn({ query: { user, ...more } })
const told = async (user: string) =>
  (await explain(user)).entries.filter(({ kind }) => kind === 'failure').map(({ what, rule }) => [what, rule])

test('a sign-in that waits for its second step is explained as waiting, and after five minutes as given up, with a remedy', async () => {
  const email = 'waits@example.com'
  await withAuthenticator(t, email)
  await withPassword(t, email)
  const story = await explain(email)
  expect(story.entries.at(-1)).toMatchObject({
    what: 'second-step-pending',
    text: expect.stringContaining('(password) was right'),
  })
  expect(story.verdict).toMatchObject({
    outcome: 'can-sign-in',
    obstacles: [
      {
        text: 'After the password a second factor is asked: totp or recovery-code.',
        rule: 'user.twoFactorEnabled',
      },
    ],
  })
  t.clock.advance({ minutes: 6 })
  expect((await explain(email)).entries.at(-1)).toMatchObject({
    what: 'second-step-abandoned',
    remedy: `gatehouse create-recovery-link --user ${email} --second-factor`,
  })
})

test('a sign-in with a second step is explained as one sign-in, and says when a remembered browser replaced the step', async () => {
  const email = 'remembers@example.com'
  const { browser, totpURI } = await withAuthenticator(t, email)
  t.clock.advance({ seconds: 60 })
  await withPassword(t, email, browser)
  await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI), trustDevice: true })
  await browser.post('/sign-out')
  await withPassword(t, email, browser)
  const { entries } = await explain(email)
  expect(entries.filter(({ what }) => what.startsWith('second-step'))).toEqual([])
  expect(entries.at(-1)?.text).toMatch(/^Signed in with a password.*, in a browser that is remembered\.$/)
  expect(entries.some(({ what }) => what === 'second_factor.enabled')).toBe(true)
})

test('wrong codes that lock the account are distinguished from wrong codes that make the account wait', async () => {
  const email = 'locks@example.com'
  const { totpURI } = await withAuthenticator(t, email)
  const browser = await withPassword(t, email)
  for (let n = 0; n < 13; n += 1) {
    await browser.post('/two-factor/verify-totp', { code: wrongCode(totpURI) })
    if (n >= 9) t.clock.advance({ seconds: 2 })
  }
  expect((await told(email)).at(-1)).toEqual(['second-factor-locked', 'accounts.guessing.resetAfter'])
})

test('the explanation of a second factor that has to be added names the role, person, organization or application that requires it', async () => {
  const strict = await t.node({ secondFactor: { requiredFor: ['support'], graceDays: 0 } })
  await t.signedIn('clerk@example.com')
  await t.verify('clerk@example.com')
  await strict.app.administration.setRole(operator, 'clerk@example.com', 'support')
  const auditor = strict.client()
  for (const [name, value] of support.cookies) auditor.cookies.set(name, value)
  expect((await explain('clerk@example.com', {}, auditor)).verdict.obstacles).toMatchObject([
    { text: expect.stringContaining('adds a second factor'), rule: 'secondFactor.requiredFor' },
  ])
  await strict.stop()
  const { client, organizationId } = await owner(t, 'ann@strict.example', 'strict')
  const shop = await register(t, { clientId: 'vault', requireAcr: '2fa' })
  await t.app.core.db.knex('organization').where({ id: organizationId }).update({ requires_second_factor: true })
  expect((await explain('ann@strict.example', { client: shop.clientId })).verdict.obstacles).toMatchObject([
    { rule: 'requireAcr of the application' },
    { rule: 'requiresSecondFactor of the organization', remedy: 'gatehouse get-org --org strict' },
  ])
  expect(await client.api.sessions.getSession()).not.toBeNull()
})

test('failed sign-ins by mail are explained: wrong and used codes, too many codes, old links and links of other browsers', async () => {
  const email = 'mailed@example.com'
  await t.signedIn(email)
  await t.verify(email)
  const ask = async () => {
    const browser = t.client()
    await browser.post('/sign-in/magic-link', { email })
    await t.mailKinds(email)
    await t.mails()
    const { raw, link } = await t.mailTo(email, 'sign-in')
    return { browser, code: /^(\d{6})\s*$/m.exec(raw)?.[1] ?? '', link: new URL(link) }
  }
  const first = await ask()
  const wrong = String((Number(first.code) + 1) % 1_000_000).padStart(6, '0')
  for (let n = 0; n < 4; n += 1) await first.browser.post('/sign-in/email-otp', { email, otp: wrong })
  // Mails are found by their time.
  t.clock.advance({ seconds: 2 })
  const second = await ask()
  await t.client().request(second.link.pathname + second.link.search)
  t.clock.advance({ minutes: 11 })
  await second.browser.post('/sign-in/email-otp', { email, otp: second.code })
  await second.browser.request(second.link.pathname + second.link.search, { headers: { 'x-request-id': 'old-link' } })
  // The owner of the old link is known until the link is deleted.
  expect((await told(email)).filter(([what]) => what !== 'mail-link')).toEqual([
    ...Array.from({ length: 3 }, () => ['mail-code', 'INVALID_OTP']),
    ['mail-code-ended', 'TOO_MANY_ATTEMPTS'],
    ['mail-link-browser', 'OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED'],
    ['mail-code-expired', 'OTP_EXPIRED'],
  ])
  const { entries } = await support.api.signIns.explainSignIn({ query: { request: 'old-link' } })
  expect(entries).toMatchObject([{ what: 'mail-link', rule: 'INVALID_TOKEN' }])
})
