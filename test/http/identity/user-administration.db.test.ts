import { afterAll, beforeAll, expect } from 'vitest'
import type { ApiError } from '../../../src/http/client.ts'
import { etagOfResult } from '../../../src/http/conditional.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'

let t: TestApp
let admin: Client
let support: Client
let ann: Client
let annId = ''
let adminId = ''
beforeAll(async () => {
  t = await testApp({
    config: { users: { fields: { plan: { type: 'string', values: ['free', 'gold'], writableBy: 'operator' } } } },
  })
  admin = await signedInAs(t, 'admin')
  support = await signedInAs(t, 'support')
  ann = await t.signedIn('ann@example.com', 'Ann')
  annId = (await t.app.users.require(t.app.core.db, 'ann@example.com')).id
  adminId = (await t.app.users.require(t.app.core.db, 'admin@staff.example')).id
})
afterAll(() => t.stop())

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: ApiError) => `${error.status} ${error.code}`,
  )
const patch = (client: Client, id: string, body: Record<string, unknown>, ifMatch?: string) =>
  client.api.users.adminPatchUser({ params: { id }, body, ...(ifMatch === undefined ? {} : { ifMatch }) })
const newest = async () => (await t.app.audit.list({}, 1))[0]

describeOnBoth('one user in the administration', () => {
  test('a user is returned with a strong ETag that changes only with the user', async () => {
    const read = () => admin.api.users.adminGetUser({ params: { id: annId } })
    const first = await read()
    expect(first).toMatchObject({
      id: annId,
      name: 'Ann',
      banned: false,
      banReason: null,
      banExpires: null,
      fields: { plan: null },
    })
    const etag = etagOfResult(first)
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    expect(etagOfResult(await read())).toBe(etag)
    await ann.post('/update-user', { name: 'Ann Lee' })
    expect(etagOfResult(await read())).not.toBe(etag)
    expect(await codeOf(admin.api.users.adminGetUser({ params: { id: 'nobody' } }))).toBe('404 NOT_FOUND')
  })

  test('an administrator can change the fields that users write and the fields that only operators write', async () => {
    const changed = await patch(admin, annId, {
      name: 'Ann Smith',
      image: 'https://img.example/a.png',
      language: 6,
      plan: 'gold',
    })
    expect(changed).toMatchObject({ name: 'Ann Smith', language: 6, fields: { plan: 'gold' } })
    expect(await newest()).toMatchObject({
      ...{ type: 'user.updated', actorId: adminId, subjectId: annId },
      data: { fields: ['name', 'image', 'language', 'plan'] },
    })
    for (const body of [
      { plan: 'silver' },
      { unknown: 1 },
      { role: 'admin' },
      { banned: true },
      { emailVerified: false },
      { name: '' },
    ])
      expect(await codeOf(patch(admin, annId, body)), JSON.stringify(body)).toBe('400 VALIDATION_ERROR')
    expect(await codeOf(patch(admin, 'nobody', { name: 'X' }))).toBe('404 NOT_FOUND')
  })

  test('a change of a user with an outdated ETag is refused, and changes nothing', async () => {
    const before = await admin.api.users.adminGetUser({ params: { id: annId } })
    const after = await patch(admin, annId, { name: 'Ann First' }, etagOfResult(before))
    expect(await codeOf(patch(admin, annId, { name: 'Ann Second' }, etagOfResult(before)))).toBe('412 PRECONDITION_FAILED')
    expect(await codeOf(patch(admin, annId, { name: 'Ann Second' }, `W/${etagOfResult(before)}`))).toBe('412 PRECONDITION_FAILED')
    expect(await codeOf(patch(admin, annId, { name: 'Ann Second' }, 'broken'))).toBe('400 VALIDATION_ERROR')
    expect((await admin.api.users.adminGetUser({ params: { id: annId } })).name).toBe('Ann First')
    // The ETag in the form in which nginx and Cloudflare pass it on after compressing an answer.
    expect((await patch(admin, annId, { name: 'Ann Second' }, `W/${etagOfResult(after)}`)).name).toBe('Ann Second')
    expect((await patch(admin, annId, { name: 'Ann Third' }, '*')).name).toBe('Ann Third')
  })

  testOnBoth('of several simultaneous changes with the same ETag one succeeds', async () => {
    const basis = etagOfResult(await admin.api.users.adminGetUser({ params: { id: annId } }))
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => codeOf(patch(admin, annId, { name: `Ann ${n}` }, basis))))
    expect(answers.sort()).toEqual([
      '412 PRECONDITION_FAILED',
      '412 PRECONDITION_FAILED',
      '412 PRECONDITION_FAILED',
      '412 PRECONDITION_FAILED',
      'done',
    ])
  })

  test('an email address set by an administrator is unverified unless the administrator says otherwise, and a taken address is refused', async () => {
    await t.verify('ann@example.com')
    expect(await patch(admin, annId, { email: 'Ann@New.example' })).toMatchObject({
      email: 'ann@new.example',
      emailVerified: false,
    })
    // The former address is notified, without a link to take the account back.
    expect((await t.mailTo('ann@example.com', 'email-changed')).raw).not.toContain('recover-address')
    expect(await patch(admin, annId, { email: 'ann@example.com', emailVerified: true })).toMatchObject({ emailVerified: true })
    expect(await codeOf(patch(admin, annId, { email: 'admin@staff.example' }))).toBe('422 USER_ALREADY_EXISTS')
    expect(await codeOf(patch(admin, annId, { email: 'no address' }))).toBe('400 INVALID_EMAIL')
  })

  test('support can change people, but not their email address and not people with more permissions', async () => {
    expect(await patch(support, annId, { name: 'Ann by support' })).toMatchObject({ name: 'Ann by support' })
    expect(await codeOf(patch(support, annId, { email: 'x@example.com' }))).toBe('403 FORBIDDEN')
    expect(await codeOf(patch(support, annId, { emailVerified: true }))).toBe('403 FORBIDDEN')
    expect(await codeOf(patch(support, adminId, { name: 'Mallory' }))).toBe('403 FORBIDDEN')
    const auditor = await signedInAs(t, 'auditor')
    expect(await codeOf(patch(auditor, annId, { name: 'X' }))).toBe('403 FORBIDDEN')
    expect((await auditor.api.users.adminGetUser({ params: { id: annId } })).name).toBe('Ann by support')
  })

  test('the sign-in methods of a user are listed without tokens and hashes', async () => {
    const { identities } = await support.api.users.adminListIdentities({ params: { id: annId } })
    expect(identities).toMatchObject([{ provider: 'credential', userId: annId, accountId: annId }])
    expect(JSON.stringify(identities)).not.toMatch(/argon|password|token/i)
    expect(await codeOf(support.api.users.adminListIdentities({ params: { id: 'nobody' } }))).toBe('404 NOT_FOUND')
  })
})

describeOnBoth('sessions in the administration', () => {
  test('valid sessions are listed with their users and without tokens: all, of one user, or of one network address', async () => {
    const { sessions } = await support.api.userSessions.adminListSessions({ query: {} })
    expect(sessions[0]).toMatchObject({ ipAddress: '127.0.0.1', device: expect.any(String), impersonatedBy: null })
    expect(JSON.stringify(sessions)).not.toMatch(/token/i)
    const own = await support.api.userSessions.adminListSessionsOfUser({ params: { id: annId } })
    expect(own.sessions.map(({ user }) => user.email)).toEqual(['ann@example.com'])
    expect(
      (await support.api.userSessions.adminListSessions({ query: { userId: annId, ipAddress: '192.0.2.1' } })).sessions,
    ).toEqual([])
    expect(await codeOf(support.api.userSessions.adminListSessionsOfUser({ params: { id: 'nobody' } }))).toBe('404 NOT_FOUND')
  })

  test('pages of sessions show each session once, and no expired session', async () => {
    const guest = await t.signedIn('guest@example.com')
    await t.app.core.transact((tx) =>
      tx
        .knex('session')
        .where({ user_id: annId })
        .update({ expires_at: new Date(0) }),
    )
    const ids: string[] = []
    let after: string | undefined
    do {
      const page = await admin.api.userSessions.adminListSessions({ query: { limit: 1, after } })
      ids.push(...page.sessions.map(({ id }) => id))
      after = page.next ?? undefined
    } while (after !== undefined)
    expect(new Set(ids).size).toBe(ids.length)
    const { id: guestId } = await t.app.users.require(t.app.core.db, 'guest@example.com')
    const ofGuest = await admin.api.userSessions.adminListSessionsOfUser({ params: { id: guestId } })
    expect(ids).toContain(ofGuest.sessions[0]?.id)
    expect((await admin.api.userSessions.adminListSessionsOfUser({ params: { id: annId } })).sessions).toEqual([])
    await guest.post('/sign-out')
  })

  testOnBoth('an ended session is refused at once, and can be ended only once', async () => {
    const guest = await t.signedIn('guest2@example.com')
    const { id: guestId } = await t.app.users.require(t.app.core.db, 'guest2@example.com')
    const { sessions } = await support.api.userSessions.adminListSessionsOfUser({ params: { id: guestId } })
    const params = { id: sessions[0]?.id ?? '' }
    const end = () => codeOf(support.api.userSessions.adminEndSession({ params }))
    expect((await Promise.all([end(), end()])).sort()).toEqual(['404 NOT_FOUND', 'done'])
    expect((await guest.request('/get-session')).json).toEqual(null)
    expect(await newest()).toMatchObject({ type: 'session.ended', subjectId: guestId, data: { sessionId: params.id } })
    await guest.post('/sign-in/email', { email: 'guest2@example.com', password })
  })

  test('support cannot end the session of a person with more permissions', async () => {
    const { sessions } = await support.api.userSessions.adminListSessionsOfUser({ params: { id: adminId } })
    expect(await codeOf(support.api.userSessions.adminEndSession({ params: { id: sessions[0]?.id ?? '' } }))).toBe(
      '403 FORBIDDEN',
    )
    expect((await admin.request('/get-session')).json).not.toBeNull()
  })

  testOnBoth('every list among many sessions uses an index', async () => {
    await t.app.jobs.stop()
    await fill(t, 'session', 6_000, {
      ...{
        id: "'s' || n.n",
        token_hash: "'h' || n.n",
        user_id: `'${annId}'`,
        created_at: secondsIn2026,
        updated_at: secondsIn2026,
      },
      ...{
        expires_at: dialect === 'sqlite' ? '4102444800000' : "timestamptz '2100-01-01'",
        user_agent: "'x'",
        amr: "'[]'",
        acr: "'a'",
      },
      ...{ ip_address: "'192.0.2.' || (n.n % 100)", remember_me: dialect === 'sqlite' ? '0' : 'false', proofs: "'[]'" },
    })
    const options = { tables: ['session'], sorts: dialect === 'sqlite' }
    for (const query of [
      {},
      { order: 'asc' as const },
      { userId: annId },
      { ipAddress: '192.0.2.7' },
      { userId: annId, ipAddress: '192.0.2.7' },
    ])
      expect(
        await planFaults(t, options, () => admin.api.userSessions.adminListSessions({ query })),
        JSON.stringify(query),
      ).toEqual([])
  })
})

test('deleting a user requires the current ETag in If-Match, and a user that may be deleted', async () => {
  await t.signedIn('leaves@example.com')
  const { id } = await t.app.users.require(t.app.core.db, 'leaves@example.com')
  const remove = (client: Client, userId: string, ifMatch?: string) =>
    codeOf(client.api.administration.adminDeleteUser({ params: { id: userId }, ...(ifMatch === undefined ? {} : { ifMatch }) }))
  const etag = etagOfResult(await admin.api.users.adminGetUser({ params: { id } })) ?? ''
  await patch(admin, id, { name: 'Another' })
  expect(await remove(admin, id, etag)).toBe('412 PRECONDITION_FAILED')
  expect(await remove(support, id)).toBe('403 FORBIDDEN')
  expect(await remove(admin, adminId)).toBe('400 YOU_CANNOT_REMOVE_YOURSELF')
  expect(await remove(admin, id, etagOfResult(await admin.api.users.adminGetUser({ params: { id } })) ?? '')).toBe('done')
  expect(await remove(admin, id)).toBe('404 USER_NOT_FOUND')
  expect(await t.app.audit.list({ type: 'user.deleted', subject: id }, 2)).toHaveLength(1)
})
