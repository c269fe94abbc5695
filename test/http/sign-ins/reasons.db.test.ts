/** Every way in which a sign-in fails appears in its explanation, with the deciding rule and the command that helps. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, type TestOptions, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, signInAt, startAtProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { codeOf, withAuthenticator, withPassword, wrongCode } from '../../support/totp.ts'
import { authorizePath, codeFor, goOn, postForm, redeem, register } from '../oidc/flow.ts'

let github: FakeGitHub
let t: TestApp
let support: Client
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({ config: { outbound, social: { github: github.section } } })
  t.clock.hold()
  support = await signedInAs(t, 'support')
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

type Query = NonNullable<NonNullable<Parameters<Client['api']['signIns']['explainSignIn']>[0]>['query']>
const explain = (query: Query, by = support) => by.api.signIns.explainSignIn({ query })
/** The failures of an explanation: reason, rule and remedy. */
const failures = async (query: Query, by = support) =>
  (await explain(query, by)).entries
    .filter(({ kind }) => kind === 'failure')
    .map(({ what, rule, remedy }) => [what, rule, remedy])
const signIn = (email: string, typed = password, client = t.client()) => client.post('/sign-in/email', { email, password: typed })
/** Another instance with other settings, and a support user in it. */
const withConfig = async (config: TestOptions['config']) => {
  const other = await testApp(config === undefined ? {} : { config })
  return { other, helper: await signedInAs(other, 'support') }
}

test('a wrong password is explained with the command that sets another password, and the right password then works', async () => {
  await t.signedIn('wrong@example.com')
  await signIn('wrong@example.com', 'not the password')
  const story = await explain({ user: 'wrong@example.com' })
  expect(story.entries.map(({ what }) => what)).toEqual(['user.created', 'session.started', 'wrong-password'])
  expect(story.entries.at(-1)).toMatchObject({
    rule: 'INVALID_EMAIL_OR_PASSWORD',
    remedy: 'gatehouse set-password --user wrong@example.com',
    code: 'INVALID_EMAIL_OR_PASSWORD',
  })
  expect(story.account).toMatchObject({ email: 'wrong@example.com', hasPassword: true, banned: false, providers: [] })
  expect(story.verdict).toMatchObject({ outcome: 'can-sign-in', obstacles: [] })
})

test('a wrong second factor, and a second factor that had to wait, are distinguished from a wrong password', async () => {
  const email = 'second@example.com'
  const { totpURI } = await withAuthenticator(t, email)
  t.clock.advance({ seconds: 30 })
  const browser = await withPassword(t, email)
  for (let i = 0; i < 10; i += 1) await browser.post('/two-factor/verify-totp', { code: wrongCode(totpURI) })
  await browser.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  const told = (await failures({ user: email }))
    .map(([what, rule]) => [what, rule])
    .filter(([what]) => what !== 'second-step-pending')
  expect(told.slice(-2)).toEqual([
    ['wrong-second-factor', 'INVALID_CODE'],
    ['second-factor-waiting', 'accounts.guessing.freeAttempts'],
  ])
  expect(told.some(([what]) => what === 'wrong-password')).toBe(false)
})

test('attempts for an email address without an account are shown only with the permission to read sign-ins', async () => {
  const answer = await signIn('Nobody@example.com')
  expect(answer.json['code']).toBe('INVALID_EMAIL_OR_PASSWORD')
  expect(await failures({ email: 'nobody@example.com' })).toEqual([['unknown-address', 'INVALID_EMAIL_OR_PASSWORD', null]])
  const { account, verdict } = await explain({ email: 'nobody@example.com' })
  expect(account).toBeNull()
  expect(verdict).toMatchObject({
    outcome: 'no-account',
    obstacles: [{ remedy: 'gatehouse create-user --email nobody@example.com --name nobody' }],
  })
  const ann = await t.signedIn('ann@example.com')
  const path = '/admin/sign-ins/explanation?email=nobody@example.com'
  expect((await ann.request(path)).status).toBe(403)
  expect((await t.client().request(path)).status).toBe(401)
})

test('attempts from before an account existed belong to the explanation of the account', async () => {
  await signIn('later@example.com')
  await t.signedIn('later@example.com')
  expect(await failures({ user: 'later@example.com' })).toEqual([['unknown-address', 'INVALID_EMAIL_OR_PASSWORD', null]])
})

test('a wait after ten wrong passwords is explained with its seconds, and the verdict says when the wait ends', async () => {
  await t.signedIn('waits@example.com')
  for (let i = 0; i < 10; i += 1) await signIn('waits@example.com', 'not the password')
  expect((await signIn('waits@example.com')).status).toBe(429)
  const { entries, verdict } = await explain({ user: 'waits@example.com' })
  expect(entries.at(-1)).toMatchObject({
    what: 'waiting',
    rule: 'accounts.guessing.freeAttempts',
    remedy: 'gatehouse set-password --user waits@example.com',
    text: expect.stringContaining('15 s'),
  })
  expect(verdict).toMatchObject({ outcome: 'must-wait', obstacles: [{ rule: 'accounts.guessing.freeAttempts' }] })
  t.clock.advance({ seconds: 16 })
  expect((await explain({ user: 'waits@example.com' })).verdict.outcome).toBe('can-sign-in')
})

test('a locked password is explained with the setting and the command that resets it', async () => {
  const { other, helper } = await withConfig({ accounts: { guessing: { resetAfter: 10 } } })
  await other.signedIn('locked@example.com')
  const guess = () => other.client().post('/sign-in/email', { email: 'locked@example.com', password: 'not the password' })
  for (let i = 0; i < 11; i += 1) await guess()
  const { entries, verdict } = await explain({ user: 'locked@example.com' }, helper)
  expect(entries.at(-1)).toMatchObject({ what: 'locked', rule: 'accounts.guessing.resetAfter' })
  expect(verdict.obstacles[0]).toMatchObject({
    rule: 'accounts.guessing.resetAfter',
    remedy: 'gatehouse set-password --user locked@example.com',
  })
  await other.stop()
})

test("a banned user's sign-in is explained with the ban, and the command of the verdict lifts the ban", async () => {
  await t.signedIn('banned@example.com')
  await t.app.administration.ban(systemPrincipal('test'), 'banned@example.com', 'chargebacks', 3600)
  await signIn('banned@example.com')
  const { entries, account, verdict } = await explain({ user: 'banned@example.com' })
  expect(entries.find(({ what }) => what === 'user.banned')?.text).toMatch(/until .*: chargebacks/)
  expect(entries.at(-1)).toMatchObject({ what: 'banned', rule: 'BANNED_USER' })
  expect(account).toMatchObject({ banned: true, banReason: 'chargebacks', banExpires: expect.any(Date) })
  expect(verdict.outcome).toBe('cannot-sign-in')
  expect(verdict.obstacles[0]?.remedy).toBe('gatehouse unban-user --user banned@example.com')
  await t.app.administration.unban(systemPrincipal('test'), 'banned@example.com')
  expect((await explain({ user: 'banned@example.com' })).verdict.outcome).toBe('can-sign-in')
})

test('an unverified email address, disabled passwords and an untrusted origin are explained with their settings', async () => {
  const { other, helper } = await withConfig({})
  /** Another node with other settings and the same support user. */
  const nodeWith = async (accounts: Record<string, boolean>) => {
    const node = await other.node({ accounts })
    const by = node.client()
    for (const [name, value] of helper.cookies) by.cookies.set(name, value)
    return { node, by }
  }
  const strict = await nodeWith({ requireEmailVerification: true })
  const post = (node: TestApp, path: string) =>
    node.client().post(path, { email: 'new@example.com', name: 'New', password }, { origin: other.url })
  await post(strict.node, '/sign-up/email')
  await post(strict.node, '/sign-in/email')
  expect(await failures({ user: 'new@example.com' }, strict.by)).toEqual([
    ['email-not-verified', 'accounts.requireEmailVerification', 'gatehouse list-mails --state failed'],
  ])
  expect((await explain({ user: 'new@example.com' }, strict.by)).verdict).toMatchObject({
    outcome: 'cannot-sign-in',
    obstacles: [{ rule: 'accounts.requireEmailVerification' }],
  })
  const closed = await nodeWith({ emailPasswordEnabled: false })
  await post(closed.node, '/sign-in/email')
  expect((await failures({ user: 'new@example.com' }, closed.by)).at(-1)).toEqual([
    'password-disabled',
    'accounts.emailPasswordEnabled',
    'gatehouse check-config',
  ])
  const evil = { origin: 'https://evil.example', 'x-request-id': 'evil-origin' }
  await other.client().post('/sign-in/email', { email: 'new@example.com', password }, evil)
  expect(await failures({ request: 'evil-origin' }, helper)).toEqual([['origin', 'trustedOrigins', 'gatehouse check-config']])
  await strict.node.stop()
  await closed.node.stop()
  await other.stop()
})

test('rate limits of requests and of networks are explained by client address', async () => {
  const { other, helper } = await withConfig({ limits: { enabled: 'on', network: { max: 2 } } })
  const attempts = ['one', 'two', 'three', 'four'].map((name) => `${name}@example.com`)
  for (const email of attempts) await other.client().post('/sign-in/email', { email, password })
  const found = await failures({ address: '127.0.0.1' }, helper)
  expect(found).toContainEqual(['network-limit', 'limits.network.max', 'gatehouse explain-sign-in --address 127.0.0.1'])
  expect(found).toContainEqual(['request-limit', 'limits.strict.max', 'gatehouse explain-sign-in --address 127.0.0.1'])
  await other.stop()
})

const atGitHub = { provider: 'github', callbackURL: '/account' }

test("a refusal by a provider is explained in the provider's words, without email addresses", async () => {
  const client = t.client()
  const { state } = await startAtProvider(client, atGitHub)
  const said = encodeURIComponent('ann@corp.example is not assigned')
  await client.request(`/callback/github?state=${state}&error=access_denied&error_description=${said}`, {
    headers: { 'x-request-id': 'refused-1' },
  })
  const { entries } = await explain({ request: 'refused-1' })
  expect(entries).toMatchObject([{ what: 'provider-refused', rule: 'access_denied', provider: 'github' }])
  expect(entries[0]?.text).toContain('is not assigned')
  expect(entries[0]?.text).not.toContain('corp.example')
})

test('a provider callback without the cookie of its sign-in is distinguished from a callback with a used state', async () => {
  github.state.person = githubPerson(7001, 'seven@example.com')
  const client = t.client()
  const { url } = await startAtProvider(client, atGitHub)
  const back = await atProvider(url)
  const from = (id: string) => ({ headers: { 'x-request-id': id } })
  await t.client().request(back, from('no-cookie'))
  expect((await client.request(back)).location).toBe('/account')
  await client.request(back, from('used-state'))
  expect(await failures({ request: 'no-cookie' })).toEqual([
    ['state-cookie-missing', 'PLEASE_RESTART_THE_PROCESS', 'gatehouse check-config'],
  ])
  expect(await failures({ request: 'used-state' })).toEqual([['state-expired', 'social.stateTtlSeconds', null]])
})

test('an account that a provider may not sign in to, and an account without a password, are explained for the user', async () => {
  await t.signedIn('linked@example.com')
  github.state.person = githubPerson(7002, 'linked@example.com', false)
  await signInAt(t.client(), atGitHub)
  expect(await failures({ user: 'linked@example.com' })).toEqual([
    ['account-not-linked', 'social.github.trustsEmail', 'gatehouse get-user --user linked@example.com'],
  ])
  github.state.person = githubPerson(7003, 'octo@example.com')
  await signInAt(t.client(), atGitHub)
  await signIn('octo@example.com')
  const story = await explain({ email: 'octo@example.com' })
  expect(story.entries.at(-1)).toMatchObject({ what: 'no-password', remedy: 'gatehouse set-password --user octo@example.com' })
  expect(story.account).toMatchObject({ hasPassword: false, providers: ['github'] })
  expect(story.verdict).toMatchObject({
    outcome: 'can-sign-in',
    text: 'The account can sign in now, with github.',
    obstacles: [{ rule: 'INVALID_EMAIL_OR_PASSWORD' }],
  })
})

test('errors of applications are explained: redirect address, unknown and disabled client, consent, secret and code', async () => {
  const shop = await register(t, { clientId: 'shop' })
  const user = await t.signedIn('app@example.com')
  const ask = (path: string, client = user) => client.request(path)
  await ask(authorizePath(shop, { redirect_uri: 'https://evil.example/back?to=ann@example.com' }))
  await ask(authorizePath({ clientId: 'shp', secret: undefined }))
  await ask(authorizePath(shop, { code_challenge: undefined }))
  await goOn(user, await ask(authorizePath(shop, { scope: 'openid email', prompt: 'consent' })), false)
  const code = await codeFor(user, shop)
  await redeem(t, { ...shop, secret: 'not the secret of the shop, and long enough' }, code)
  await redeem(t, shop, code)
  await redeem(t, shop, code)
  await t.app.oidc.applications.update(systemPrincipal('test'), 'shop', { disabled: true })
  await ask(authorizePath(shop))
  const found = await explain({ user: 'app@example.com' })
  const told = found.entries.filter(({ kind }) => kind === 'failure').map(({ what, rule, remedy }) => [what, rule, remedy])
  expect(told).toEqual([
    ['redirect-uri', 'redirect_uris', 'gatehouse get-client shop'],
    ['client-unknown', 'invalid_client', 'gatehouse list-clients'],
    ['pkce', 'pkce of the client, oidc.requirePkce', null],
    ['consent-denied', 'access_denied', null],
    ['grant', 'invalid_grant', 'gatehouse get-client shop'],
    ['client-disabled', 'client.disabled', 'gatehouse enable-client shop'],
  ])
  expect(found.entries.find(({ what }) => what === 'redirect-uri')?.text).toContain('(https://evil.example/back)')
  const ofShop = await explain({ user: 'app@example.com', client: 'shop' })
  expect(ofShop.entries.some(({ clientId }) => clientId === 'shp')).toBe(false)
  expect(ofShop.entries.some(({ what }) => what === 'client.disabled')).toBe(true)
  expect(ofShop.verdict).toMatchObject({
    outcome: 'cannot-sign-in',
    obstacles: [{ rule: 'client.disabled', remedy: 'gatehouse enable-client shop' }],
  })
})

test('a wrong client secret is explained by the request id, and by client address for one application', async () => {
  const till = await register(t, { clientId: 'till' })
  await postForm(t, { ...till, secret: 'wrong' }, '/oauth2/token', { grant_type: 'authorization_code', code: 'x' })
  expect(await failures({ address: '127.0.0.1', client: 'till' })).toContainEqual([
    'client-secret',
    'invalid_client',
    'gatehouse rotate-client-secret till',
  ])
})

test('opening the page of a sign-in that another browser began is explained by the request id', async () => {
  const shop = await register(t)
  const started = await t.client().request(authorizePath(shop))
  const uid = new URL(started.location ?? '', t.url).searchParams.get('interaction')
  await t.client().request(`/interaction/${uid}`, { headers: { 'x-request-id': 'other-browser' } })
  expect(await failures({ request: 'other-browser' })).toEqual([['interaction-expired', 'oidc.interactionTtlSeconds', null]])
})

test('the verdict says what follows the password: which second factor, a missing factor, or a factor that must be added', async () => {
  const verdictOf = async (email: string, by = support) => (await explain({ user: email }, by)).verdict
  const obstacle = (text: RegExp, rule: string, remedy: string) => ({ text: expect.stringMatching(text), rule, remedy })
  const email = 'two-steps@example.com'
  await withAuthenticator(t, email)
  expect(await verdictOf(email)).toMatchObject({
    outcome: 'can-sign-in',
    obstacles: [obstacle(/asked: totp or recovery-code/, 'user.twoFactorEnabled', `gatehouse list-factors --user ${email}`)],
  })
  await t.signedIn('late@example.com')
  const due = { second_factor_required: true, second_factor_due: new Date(0) }
  await t.app.core.db.knex('user').where({ email: 'late@example.com' }).update(due)
  expect(await verdictOf('late@example.com')).toMatchObject({
    obstacles: [obstacle(/only the page that adds/, 'require-factor', 'gatehouse list-factors --user late@example.com')],
  })
  const { other, helper } = await withConfig({ passkeys: { enabled: false } })
  await other.signedIn('keys@example.com')
  await other.app.core.db.knex('user').where({ email: 'keys@example.com' }).update({ two_factor_enabled: true })
  expect(await verdictOf('keys@example.com', helper)).toMatchObject({
    outcome: 'cannot-sign-in',
    obstacles: [
      obstacle(
        /none that the user has/,
        'user.twoFactorEnabled',
        'gatehouse create-recovery-link --user keys@example.com --second-factor',
      ),
    ],
  })
  await other.stop()
})
