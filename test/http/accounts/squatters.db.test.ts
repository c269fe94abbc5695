/** A stranger creates an account with another person's address, adds every sign-in method to it, and waits for the owner of the address. */
import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { errorOf, signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { codeOf } from '../../support/totp.ts'
import { createKey, program } from '../api-keys/keys.ts'
import { answer, invite, mailed, statusOf } from '../organizations/inviting.ts'
import { add, create, owner as ownerOf } from '../organizations/people.ts'
import { resetTokenOf, signedInByGitHub, signedInByMail } from './address-owner.ts'

let github: FakeGitHub
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({
    config: {
      outbound,
      mailSignIn: { enabled: true },
      social: { allowDifferentEmails: true, github: github.section },
      // As in the specification: neither creating an organization nor inviting requires a verified address.
      organizations: { creation: 'everybody', inviteNeedsVerifiedEmail: false },
    },
  })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

const newPassword = 'another battery staple'
const { register, signIn: signInWithPasskey, personWithPasskey } = passkeySteps(() => t)
const userOf = async (client: Client) => (await client.api.sessions.getSession())?.user
const idOf = async (client: Client) => (await userOf(client))?.id ?? ''

let next = 0
/** Creates an account with `email`, with everything that could give access later, by a person who cannot read its mail. */
const squat = async (email: string) => {
  next += 1
  const { client, authenticator } = await personWithPasskey(email)
  const person = githubPerson(8000 + next, `evil${next}@evil.example`)
  github.state.person = person
  expect(errorOf(await signInAt(client, { provider: 'github', callbackURL: '/account' }, '/link-social'))).toBeNull()
  const organizationId = await create(client, `squatted${next}`)
  const accomplice = await t.signedIn(`accomplice${next}@evil.example`, 'Accomplice')
  await add(t, organizationId, accomplice, 'owner')
  const { id: invitationId } = await invite(client, `friend${next}@evil.example`, { organizationId })
  const { totpURI } = await client.api.twoFactor.enable({ body: { password } })
  await client.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  const { key } = await createKey(client, { permissions: ['account:read'] })
  return { client, id: await idOf(client), authenticator, person, organizationId, invitationId, key, accomplice }
}
type Squatted = Awaited<ReturnType<typeof squat>>

const reset = async (email: string, more: Record<string, unknown> = {}) =>
  t.client().post('/reset-password', { token: await resetTokenOf(t, email), newPassword, ...more })
const check = async (browser: Client, email: string) =>
  (await browser.post('/reset-password/check', { token: await resetTokenOf(t, email) })).json['account']
const withPassword = async (email: string) => {
  const browser = t.client()
  expect((await browser.post('/sign-in/email', { email, password: newPassword })).status).toBe(200)
  return browser
}

/** The ways in which the owner of an address arrives without a question. Each returns a browser that is signed in. */
const ways: Readonly<Record<string, (email: string) => Promise<Client>>> = {
  'a reset': async (email) => {
    expect((await reset(email)).json).toEqual({ status: true })
    return withPassword(email)
  },
  // Sign-up by mail is off here, but an owner who gets a new account is not a new sign-up.
  'a mailed code': (email) => signedInByMail(t, email),
  'a provider': (email) => {
    next += 1
    return signedInByGitHub(t, github, 8000 + next, email)
  },
  'an invitation, after a reset': async (email) => {
    next += 1
    const { client } = await ownerOf(t, `boss${next}@corp.example`, `corp${next}`)
    await invite(client, email)
    const { id, token } = await mailed(t, email)
    const seen = await t.client().request(`/hosted/invitation?id=${id}&token=${token}`)
    expect(seen.json).toMatchObject({ hasAccount: true, maySignUp: false })
    await reset(email)
    const browser = await withPassword(email)
    expect((await answer(browser, 'accept', id, token)).status).toBe(200)
    return browser
  },
}

/** Returns the ids of the accounts that the squatter can still reach by the prepared methods. */
const stillLeadsTo = async ({ authenticator, person, key, client }: Squatted): Promise<readonly string[]> => {
  const byPasskey = t.client()
  await signInWithPasskey(byPasskey, authenticator)
  const byProvider = t.client()
  github.state.person = person
  await signInAt(byProvider, { provider: 'github', callbackURL: '/account' })
  const byKey = (await program(t, key).get('/get-session')).json as { user?: { id: string } } | null
  const found = [await idOf(byPasskey), await idOf(byProvider), await idOf(client), byKey?.user?.id ?? '']
  return found.filter((id) => id !== '')
}

describe('the owner of an address with which a stranger has signed up', () => {
  test.each(Object.keys(ways))(
    'the owner of an email address gets a new account by %s, and nothing that a stranger prepared with the address gives access to it',
    async (way) => {
      const email = `victim${Object.keys(ways).indexOf(way)}@corp.example`
      const squatted = await squat(email)
      const owner = await ways[way]?.(email)
      const theirs = owner && (await userOf(owner))
      expect(theirs).toMatchObject({ email, emailVerified: true, twoFactorEnabled: false })
      expect(theirs?.id).not.toBe(squatted.id)
      expect(await stillLeadsTo(squatted)).not.toContain(theirs?.id)
      const organizations = (await owner?.request('/organization/list'))?.json as unknown as { id: string }[]
      expect(organizations.map(({ id }) => id)).not.toContain(squatted.organizationId)
      // The old account keeps everything but the address.
      expect(await userOf(squatted.client)).toMatchObject({ id: squatted.id, twoFactorEnabled: true })
      expect(await statusOf(t, squatted.invitationId)).toBe('pending')
      expect((await t.client().post('/sign-in/email', { email, password })).status).toBe(401)
    },
  )

  test("the owner of an email address sees the contents of a stranger's account before choosing, and looking does not use up the link", async () => {
    const email = 'asked@corp.example'
    const squatted = await squat(email)
    const token = await resetTokenOf(t, email)
    for (const _ of [1, 2])
      expect((await t.client().post('/reset-password/check', { token })).json).toEqual({
        email,
        account: {
          ...{ email, createdAt: expect.any(String), mayStartFresh: true, apiKeys: 1, invitations: 1 },
          organizations: [{ name: `squatted${next}`, role: 'owner', memberCount: 2 }],
        },
      })
    expect(await userOf(squatted.client)).toBeDefined()
    const unknown = await t.client().post('/reset-password/check', { token: 'none' })
    expect([unknown.status, unknown.json['code']]).toEqual([400, 'INVALID_TOKEN'])
  })

  test("the owner of an email address can take over a stranger's account: its API keys and invitations end, no earlier access works, and its members are listed", async () => {
    const email = 'taken@corp.example'
    const squatted = await squat(email)
    const answered = await reset(email, { account: 'take-over' })
    expect([answered.status, answered.json]).toEqual([
      200,
      {
        status: true,
        organizations: [
          {
            ...{ id: squatted.organizationId, name: `squatted${next}`, memberCount: 2 },
            members: [{ name: 'Accomplice', email: `accomplice${next}@evil.example`, role: 'owner' }],
          },
        ],
      },
    ])
    const owner = await withPassword(email)
    expect(await userOf(owner)).toMatchObject({ id: squatted.id, emailVerified: true, twoFactorEnabled: false })
    expect(await stillLeadsTo(squatted)).not.toContain(squatted.id)
    expect(await statusOf(t, squatted.invitationId)).toBe('canceled')
    expect((await program(t, squatted.key).get('/get-session')).status).toBe(401)
  })

  test("the owner of an email address can choose a new account even if the stranger's account is empty", async () => {
    const squatter = await t.signedIn('bare@corp.example')
    const before = await userOf(squatter)
    expect((await reset('bare@corp.example', { account: 'start-fresh' })).json).toEqual({ status: true })
    expect((await userOf(await withPassword('bare@corp.example')))?.id).not.toBe(before?.id)
    expect((await userOf(squatter))?.id).toBe(before?.id)
  })

  test("the owner of an email address takes over a stranger's empty account without a question, and the stranger's password and sessions end", async () => {
    const squatter = await t.signedIn('plain@corp.example')
    const before = await userOf(squatter)
    expect((await reset('plain@corp.example')).json).toEqual({ status: true })
    expect((await userOf(await withPassword('plain@corp.example')))?.id).toBe(before?.id)
    expect(await userOf(squatter)).toBeUndefined()
  })

  test('no choice of account is offered in a browser of the account, or for an email address that is verified or replaced an earlier address', async () => {
    const mine = await t.signedIn('mine@corp.example')
    expect(await check(mine, 'mine@corp.example')).toBeNull()
    const id = await idOf(mine)
    await mine.post('/reset-password', { token: await resetTokenOf(t, 'mine@corp.example'), newPassword, account: 'start-fresh' })
    expect(await idOf(await withPassword('mine@corp.example'))).toBe(id)

    await t.signedIn('known@corp.example')
    await t.verify('known@corp.example')
    expect(await check(t.client(), 'known@corp.example')).toBeNull()

    const moved = await t.signedIn('first@corp.example')
    await t.verify('first@corp.example')
    await moved.post('/change-email', { newEmail: 'second@corp.example' })
    await moved.request((await t.mailTo('first@corp.example', 'change-email')).link)
    expect(await check(t.client(), 'second@corp.example')).toBeNull()
    expect((await reset('second@corp.example', { account: 'take-over' })).json).toEqual({ status: true })
    expect(await idOf(await withPassword('second@corp.example'))).not.toBe(await idOf(moved))
  })

  test("if sign-up is closed, the owner of an email address takes over a stranger's account and is told so", async () => {
    const email = 'closed@corp.example'
    const squatted = await squat(email)
    const closed = await t.node({ accounts: { signUpEnabled: false } })
    const token = await resetTokenOf(t, email)
    expect((await closed.client().post('/reset-password/check', { token })).json['account']).toMatchObject({
      mayStartFresh: false,
    })
    expect((await closed.client().post('/reset-password', { token, newPassword })).json).toMatchObject({ status: true })
    expect(await idOf(await withPassword(email))).toBe(squatted.id)
    await closed.stop()
  })

  test('the verification link also gives the owner of an email address a new account with their own password', async () => {
    const email = 'linked@corp.example'
    const squatted = await squat(email)
    await squatted.client.post('/send-verification-email', { email })
    const token = new URL((await t.mailTo(email, 'verification')).link).searchParams.get('token')
    expect((await t.client().post('/verify-email', { token, newPassword })).status).toBe(200)
    expect(await idOf(await withPassword(email))).not.toBe(squatted.id)
    expect(await userOf(squatted.client)).toMatchObject({ id: squatted.id })
  })
})

test('a passkey that a stranger adds during the takeover of an account is not in the account afterwards', async () => {
  const { client } = await squat('added@corp.example')
  await reset('added@corp.example', { account: 'take-over' })
  const { authenticator } = await personWithPasskey(`late${next}@evil.example`)
  await expect(register(client, authenticator)).rejects.toMatchObject({ status: 401 })
})

testOnBoth(
  'if a new account and a takeover are requested at once, one of the two happens, and one account has the email address',
  async () => {
    for (const round of [1, 2, 3]) {
      const email = `raced${round}@corp.example`
      const { client } = await t
        .signedIn(email)
        .then(async (client) => ({ client, organizationId: await create(client, `raced${round}`) }))
      const id = await idOf(client)
      const token = await resetTokenOf(t, email)
      const answers = await Promise.all(
        (['take-over', 'start-fresh', 'take-over'] as const).map((account) =>
          t.client().post('/reset-password', { token, newPassword, account }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
      const rows = await t.app.core.db.knex('user').where({ email })
      expect(rows).toHaveLength(1)
      const isTakenOver = answers[1]?.status !== 200
      expect(rows[0]?.id === id).toBe(isTakenOver)
      expect((await idOf(client)) === id).toBe(!isTakenOver)
    }
  },
)
