import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { statementsOf } from '../../support/statements.ts'
import { codeOf, withAuthenticator } from '../../support/totp.ts'
import { invite, mailed } from '../organizations/inviting.ts'

const mode = (userNames: object) => ({ config: { accounts: { userNames: { mode: 'optional', ...userNames } } } })

let t: TestApp
beforeAll(async () => {
  t = await testApp(mode({ reserved: ['Acme'] }))
})
// A test that stops an instance of its own lets the clock go on, so each test holds it again.
beforeEach(() => t.clock.hold())
afterAll(() => t.stop())

const signUp = (email: string, more: object, on = t, client = on.client()) =>
  client.post('/sign-up/email', { name: 'Ann Example', email, password, ...more })
const named = async (username: string, more: object = {}) => {
  const client = t.client()
  const email = `${encodeURIComponent(username).replaceAll('%', '-').toLowerCase()}@example.com`
  const { status, json } = await signUp(email, { username, ...more }, t, client)
  expect(status).toBe(200)
  return { client, email, user: json['user'] as Record<string, unknown> }
}
const signIn = (username: string, typed = password, client = t.client(), more: object = {}) =>
  client.post('/sign-in/username', { username, password: typed, ...more })
const isFree = async (username: string, on = t) => on.client().post('/is-username-available', { username })
const shownTo = async (client: Client) =>
  (JSON.parse((await client.request('/get-session')).text) as { user: Record<string, unknown> } | null)?.user
const patch = (admin: Client, id: string, body: object) =>
  admin.request(`/admin/users/${id}`, {
    ...{ method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  })
const told = ({ status, json }: { readonly status: number; readonly json: Record<string, unknown> }) => [status, json['code']]

test('a user name is stored as typed and in normalized form, and any spelling of the user name signs in', async () => {
  const { user } = await named('Ann.Example')
  expect(user).toMatchObject({ username: 'ann.example', displayUsername: 'Ann.Example' })
  for (const spelling of ['ann.example', 'ANN.EXAMPLE', 'ａｎｎ.example']) {
    const client = t.client()
    const { status, json } = await signIn(spelling, password, client, { callbackURL: '/account' })
    expect(status).toBe(200)
    expect(json).toEqual({ redirect: true, url: '/account', token: expect.any(String), user })
    expect(await shownTo(client)).toEqual(user)
  }
})

test('a person without a user name signs in with the email address, and responses contain no user name', async () => {
  const { json } = await signUp('nameless@example.com', {})
  expect(json['user']).toMatchObject({ username: null, displayUsername: null })
  expect((await t.client().post('/sign-in/email', { email: 'nameless@example.com', password })).status).toBe(200)
})

test('a user name that is reserved, or taken in any spelling, is refused and shown as unavailable', async () => {
  await named('Taken')
  expect(told(await signUp('second@example.com', { username: 'tAKEN' }))).toEqual([400, 'USERNAME_IS_ALREADY_TAKEN'])
  for (const username of ['admin', 'a.c.m.e']) {
    expect(told(await signUp('second@example.com', { username }))).toEqual([400, 'USERNAME_IS_ALREADY_TAKEN'])
    expect((await isFree(username)).json).toEqual({ available: false })
  }
  expect((await isFree('TAKEN')).json).toEqual({ available: false })
  expect((await isFree('free')).json).toEqual({ available: true })
})

test.each([
  ['an', 'USERNAME_TOO_SHORT'],
  ['a'.repeat(31), 'USERNAME_TOO_LONG'],
  ['ann@example.com', 'INVALID_USERNAME'],
  ['an\u200bn', 'INVALID_USERNAME'],
])('every call refuses the user name %j with %s', async (username, code) => {
  expect(told(await signUp('odd@example.com', { username }))).toEqual([400, code])
  expect(told(await isFree(username))).toEqual([422, code])
  expect(told(await signIn(username))).toEqual([422, code])
  const ann = await t.signedIn(`odd${code}${username.length}@example.com`)
  expect(told(await ann.post('/update-user', { username }))).toEqual([400, code])
})

test('a user name of thirty letters that is typed as more than a hundred characters is refused', async () => {
  const username = 'I\u0307\u0308\u0301'.repeat(30)
  expect(told(await signUp('marks@example.com', { username }))).toEqual([400, 'USERNAME_TOO_LONG'])
  const ann = await t.signedIn('marked@example.com')
  expect(told(await ann.post('/update-user', { username }))).toEqual([400, 'USERNAME_TOO_LONG'])
})

testOnBoth('of two simultaneous sign-ups with one user name in different spellings one gets the name', async () => {
  const answers = await Promise.all(
    [1, 2, 3, 4].map((n) => signUp(`race${n}@example.com`, { username: n % 2 ? 'Race' : 'rACE' })),
  )
  expect(answers.map(told).sort()).toEqual([
    [200, undefined],
    ...Array.from({ length: 3 }, () => [400, 'USERNAME_IS_ALREADY_TAKEN']),
  ])
})

testOnBoth('of two users who take one user name at once one gets the name, and the other keeps their previous name', async () => {
  const people = await Promise.all(['first', 'other'].map((name) => named(`${name}.one`)))
  const answers = await Promise.all(
    people.map(({ client }) => client.post('/update-user', { username: 'Wanted', name: 'New Name' })),
  )
  expect(answers.map(told).sort()).toEqual([
    [200, undefined],
    [400, 'USERNAME_IS_ALREADY_TAKEN'],
  ])
  const shown = await Promise.all(people.map(({ client }) => shownTo(client)))
  expect(shown.filter((user) => user?.['username'] === 'wanted')).toHaveLength(1)
  expect(shown.find((user) => user?.['username'] !== 'wanted')).toMatchObject({ name: 'Ann Example' })
})

test('a user can change, give up and take back a user name, and the earlier name is free', async () => {
  const { client } = await named('Before')
  expect((await client.post('/update-user', { username: 'After' })).status).toBe(200)
  expect(await shownTo(client)).toMatchObject({ username: 'after', displayUsername: 'After' })
  expect((await client.post('/update-user', { displayUsername: 'The After' })).status).toBe(200)
  expect((await client.post('/update-user', { username: 'later' })).status).toBe(200)
  expect(await shownTo(client)).toMatchObject({ username: 'later', displayUsername: 'The After' })
  expect((await isFree('before')).json).toEqual({ available: true })
  expect(told(await signIn('before'))).toEqual([401, 'INVALID_USERNAME_OR_PASSWORD'])
  expect((await client.post('/update-user', { username: null })).status).toBe(200)
  expect(await shownTo(client)).toMatchObject({ username: null, displayUsername: null })
  expect(told(await client.post('/update-user', { displayUsername: 'a\nb' }))).toEqual([400, 'INVALID_DISPLAY_USERNAME'])
})

test('a change of a user name is recorded with the old and the new name', async () => {
  const { client, user } = await named('recorded')
  await client.post('/update-user', { username: 'Noted', displayUsername: 'Noted' })
  await client.post('/update-user', { username: 'NOTED' })
  const events = await t.app.audit.list({ subject: String(user['id']), type: 'user.username_changed' }, 10)
  expect(events.map(({ data }) => data)).toEqual([{ from: 'recorded', to: 'noted' }])
})

test('deleting an account frees its user name', async () => {
  const { client, user } = await named('leaving')
  await t.app.administration.remove(systemPrincipal('tests'), String(user['id']))
  expect((await isFree('leaving')).json).toEqual({ available: true })
  expect((await signUp('next@example.com', { username: 'Leaving' }, t, client)).status).toBe(200)
})

describe('a sign-in by user name reveals nothing to a stranger', () => {
  test('a sign-in with an unknown user name, a wrong password or an account without a password gets the same answer after the same statements', async () => {
    const closed = await testApp(mode({}))
    try {
      await closed.app.jobs.stop()
      await signUp('ann@example.com', { username: 'known' }, closed)
      await signUp('bob@example.com', { username: 'social' }, closed)
      const { id } = await closed.app.users.require(closed.app.core.db, 'social')
      await closed.app.core.db.knex('account').where({ user_id: id }).delete()
      const ask = async (username: string) => {
        let answer: unknown
        const statements = await statementsOf(closed, async () => {
          const { status, json } = await closed.client().post('/sign-in/username', { username, password: 'wrong password' })
          answer = [status, json]
          // The failed attempt is recorded after the response.
          await closed.app.signInFailures.settled()
        })
        return { answer, sql: statements.map(({ sql }) => sql) }
      }
      await ask('warm-up')
      const [known, unknown, social] = [await ask('known'), await ask('unknown'), await ask('social')]
      expect(unknown).toEqual(known)
      expect(social).toEqual(known)
      expect(known.answer).toEqual([401, { code: 'INVALID_USERNAME_OR_PASSWORD', message: 'Invalid username or password' }])
    } finally {
      await closed.stop()
    }
  })

  test('after ten wrong passwords further sign-ins by user name wait, for known and unknown names, except in a known browser', async () => {
    const { client } = await named('waits')
    for (const username of ['waits', 'nobody.waits']) {
      for (let i = 0; i < 10; i += 1) expect((await signIn(username, 'wrong password')).status).toBe(401)
      const waiting = await signIn(username, 'wrong password')
      expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([429, '15'])
    }
    await client.post('/sign-out')
    expect((await signIn('waits', password, client)).status).toBe(200)
    const { id, email, username } = await t.app.users.require(t.app.core.db, 'waits')
    expect(await t.app.attempts.throttleState(t.app.core.db, { id, email, username })).toMatchObject([{ scope: 'some' }])
  })

  test('throttling by wrong passwords reveals neither which user name belongs to an email address nor which address to a user name', async () => {
    const { email } = await named('linked')
    for (let i = 0; i < 11; i += 1) await t.client().post('/sign-in/email', { email, password: 'wrong password' })
    expect((await t.client().post('/sign-in/email', { email, password })).status).toBe(429)
    expect((await signIn('linked', 'wrong password')).status).toBe(401)
  })

  test('a new password also ends the waits of sign-ins by user name', async () => {
    const { email } = await named('reset.me')
    for (let i = 0; i < 11; i += 1) await signIn('reset.me', 'wrong password')
    expect((await signIn('reset.me')).status).toBe(429)
    await t.app.passwordService.set(systemPrincipal('tests'), email, 'another long password', { replaces: true })
    expect((await signIn('reset.me', 'another long password')).status).toBe(200)
  })
})

test('a sign-in by user name requires the second factor', async () => {
  const email = 'two@example.com'
  const { browser, totpURI } = await withAuthenticator(t, email)
  await browser.post('/update-user', { username: 'two.steps' })
  t.clock.advance({ seconds: 60 })
  const other = t.client()
  expect((await signIn('two.steps', password, other)).json).toMatchObject({ twoFactorRedirect: true })
  expect(await shownTo(other)).toBeUndefined()
  expect((await other.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  expect(await shownTo(other)).toMatchObject({ username: 'two.steps' })
})

test('a ban or a required verification is shown only after the right password', async () => {
  const strict = await testApp({ config: { accounts: { requireEmailVerification: true, userNames: { mode: 'optional' } } } })
  try {
    await signUp('ann@example.com', { username: 'unverified' }, strict)
    const ask = (typed: string) => strict.client().post('/sign-in/username', { username: 'unverified', password: typed })
    expect(told(await ask('wrong password'))).toEqual([401, 'INVALID_USERNAME_OR_PASSWORD'])
    expect(told(await ask(password))).toEqual([403, 'EMAIL_NOT_VERIFIED'])
    await strict.app.administration.ban(systemPrincipal('tests'), 'unverified', undefined, undefined)
    expect(told(await ask(password))).toEqual([403, 'BANNED_USER'])
    expect(told(await ask('wrong password'))).toEqual([401, 'INVALID_USERNAME_OR_PASSWORD'])
  } finally {
    await strict.stop()
  }
})

test('the explanation of an account contains failed sign-ins by its user name, and says if a user name is unknown', async () => {
  await named('story')
  await signIn('story', 'wrong password')
  await signIn('no.story', 'wrong password')
  const support = await signedInAs(t, 'support')
  const { entries, account } = await support.api.signIns.explainSignIn({ query: { user: 'story' } })
  expect(account).toMatchObject({ email: 'story@example.com' })
  expect(entries.at(-1)).toMatchObject({ what: 'wrong-password', rule: 'INVALID_USERNAME_OR_PASSWORD' })
  const unknown = await t.app.signInFailures.find(t.app.core.db, { email: 'no.story' }, new Date(0), 10)
  expect(unknown).toMatchObject([{ reason: 'unknown-name', userId: null }])
})

describe('administration of user names', () => {
  test('administrators set a user name at creation, change and remove user names, and find users by user name', async () => {
    const admin = await signedInAs(t, 'admin')
    const body = { email: 'made@example.com', name: 'Mia Made', data: { username: 'Mia.Made' } }
    const { user } = await admin.api.administration.createUser({ body })
    expect(user.fields).toMatchObject({ username: 'mia.made', displayUsername: 'Mia.Made' })
    const found = await admin.api.users.adminListUsers({ query: { search: 'mia.ma' } })
    expect(found.users.map(({ id }) => id)).toEqual([user.id])
    const changed = await admin.api.users.adminPatchUser({ params: { id: user.id }, body: { username: 'Quince' } })
    expect(changed.fields).toMatchObject({ username: 'quince' })
    expect((await admin.api.users.adminListUsers({ query: { search: 'quinc' } })).users).toHaveLength(1)
    const query = { searchField: 'username' as const, searchValue: 'quin', searchOperator: 'starts_with' as const }
    expect((await admin.api.users.listUsers({ query })).users).toHaveLength(1)
    expect((await t.app.users.require(t.app.core.db, 'QUINCE')).id).toBe(user.id)
    const none = await patch(admin, user.id, { username: null })
    expect(none.json).toMatchObject({ username: null, displayUsername: null })
    const taken = await named('occupied')
    expect(taken.user['username']).toBe('occupied')
    for (const answer of [
      await patch(admin, user.id, { username: 'Occupied' }),
      await admin.post('/admin/create-user', { ...body, email: 'more@example.com', data: { username: 'occupied' } }),
    ])
      expect(told(answer)).toEqual([400, 'USERNAME_IS_ALREADY_TAKEN'])
  })

  test('administrators can change a user name even if users may not', async () => {
    const fixed = await testApp(mode({ changeableBy: 'operator' }))
    try {
      const ann = await fixed.signedIn('ann@example.com')
      expect((await ann.post('/update-user', { username: 'chosen' })).status).toBe(200)
      expect((await ann.post('/update-user', { username: 'CHOSEN' })).status).toBe(200)
      for (const username of ['another', null])
        expect(told(await ann.post('/update-user', { username }))).toEqual([400, 'USERNAME_IS_IMMUTABLE'])
      const admin = await signedInAs(fixed, 'admin')
      const { id } = await fixed.app.users.require(fixed.app.core.db, 'chosen')
      const changed = await admin.api.users.adminPatchUser({ params: { id }, body: { username: 'another' } })
      expect(changed.fields).toMatchObject({ username: 'another' })
    } finally {
      await fixed.stop()
    }
  })
})

test('if a user name is required, nobody can sign up without a user name or give it up', async () => {
  const strict = await testApp(mode({ mode: 'required' }))
  try {
    const refused = await signUp('ann@example.com', {}, strict)
    expect(told(refused)).toEqual([400, 'VALIDATION_ERROR'])
    expect(refused.json['issues']).toEqual([{ path: 'username', message: 'is required' }])
    const client = strict.client()
    expect((await signUp('ann@example.com', { username: 'ann' }, strict, client)).status).toBe(200)
    expect(told(await client.post('/update-user', { username: null }))).toEqual([400, 'VALIDATION_ERROR'])
  } finally {
    await strict.stop()
  }
})

test('if a user name is required, invited people and the first administrator choose a user name too', async () => {
  const strict = await testApp(mode({ mode: 'required' }))
  try {
    const { url } = await strict.app.setup.createSetupLink(systemPrincipal('test'))
    const admin = { token: new URL(url).searchParams.get('token'), name: 'Ada', email: 'ada@example.com', password }
    const unnamed = await strict.client().post('/setup', admin)
    expect(unnamed.json['issues']).toEqual([{ path: 'username', message: 'is required' }])
    const made = await strict.client().post('/setup', { ...admin, username: 'Ada' })
    expect(made.json['user']).toMatchObject({ username: 'ada', displayUsername: 'Ada' })

    const inviter = strict.client()
    await signUp('ann@example.com', { username: 'ann' }, strict, inviter)
    await strict.verify('ann@example.com')
    await inviter.post('/organization/create', { name: 'Acme', slug: 'acme-inc' })
    await invite(inviter, 'bob@example.com')
    const { id: invitationId, token } = await mailed(strict, 'bob@example.com')
    const bob = { invitationId, token, name: 'Bob', password }
    const answered = async (more: object) => strict.client().post('/hosted/invitation/sign-up', { ...bob, ...more })
    expect((await answered({})).json['issues']).toEqual([{ path: 'username', message: 'is required' }])
    expect(told(await answered({ username: 'ANN' }))).toEqual([400, 'USERNAME_IS_ALREADY_TAKEN'])
    expect((await answered({ username: 'bob' })).json['user']).toMatchObject({ username: 'bob' })
  } finally {
    await strict.stop()
  }
})

test('while user names are off, calls do not accept user names, and stored user names have no effect', async () => {
  const off = await testApp()
  try {
    const { knex } = off.app.core.db
    const client = off.client()
    const { json } = await signUp('off@example.com', { username: 'ignored' }, off, client)
    expect(json['user']).not.toHaveProperty('username')
    expect((await client.post('/update-user', { username: 'ignored', name: 'Still Ann' })).status).toBe(200)
    expect(await knex('user').where({ email: 'off@example.com' }).first('username')).toEqual({ username: null })
    // The stored name is from a time when user names were on.
    await knex('user').where({ email: 'off@example.com' }).update({ username: 'dormant' })
    for (const path of ['/sign-in/username', '/is-username-available'])
      expect(told(await off.client().post(path, { username: 'dormant', password }))).toEqual([400, 'USER_NAMES_ARE_NOT_ENABLED'])
    expect(await shownTo(client)).not.toHaveProperty('username')
    await expect(off.app.users.require(off.app.core.db, 'dormant')).rejects.toThrow('User not found')
    const admin = await signedInAs(off, 'admin')
    const { id } = await off.app.users.require(off.app.core.db, 'off@example.com')
    const body = { email: 'made@example.com', name: 'Mia', data: { username: 'mia.made' } }
    expect(told(await patch(admin, id, { username: 'x.y.z' }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(told(await admin.post('/admin/create-user', body))).toEqual([400, 'USER_NAMES_ARE_NOT_ENABLED'])
  } finally {
    await off.stop()
  }
})

test('checks for free user names share the rate limit of sign-ups', async () => {
  const limited = await testApp({ config: { accounts: { userNames: { mode: 'optional' } }, limits: { enabled: 'on' } } })
  try {
    const asked = []
    for (let i = 0; i < 4; i += 1) asked.push((await isFree(`free${i}`, limited)).status)
    expect(asked).toEqual([200, 200, 200, 429])
  } finally {
    await limited.stop()
  }
})
