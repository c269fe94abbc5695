import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { answer, invite, mailed, statusOf } from './inviting.ts'
import { activeOf, owner, said, userOf } from './people.ts'

let t: TestApp
beforeAll(async () => {
  // Shorter than the life of a session, so that an invitation expires while the session is still valid.
  t = await testApp({ config: { organizations: { invitationTtlSeconds: 172_800 } } })
})
afterAll(() => t.stop())

const view = async (client: ReturnType<TestApp['client']>, id: string, token?: string) =>
  client.api.invitations.viewInvitation({ query: token === undefined ? { id } : { id, token } })
const signUp = (app: TestApp, invitationId: string, token: string, more: Record<string, unknown> = {}) =>
  app.client().post('/hosted/invitation/sign-up', { invitationId, token, name: 'Bob', password, ...more })

describe('the invitation page', () => {
  test('the invitation page shows a visitor the inviter, the organization and that the visitor can sign up', async () => {
    const { client } = await owner(t, 'ann@page.example', 'page')
    await invite(client, 'bob@page.example', { role: 'member,admin' })
    const { id, token } = await mailed(t, 'bob@page.example')
    expect(await view(t.client(), id, token)).toEqual({
      state: 'pending',
      organizationName: 'page',
      organizationLogo: null,
      inviterName: 'ann',
      email: 'bob@page.example',
      roles: ['member', 'admin'],
      expiresAt: expect.any(Date),
      signedInAs: null,
      hasAccount: false,
      maySignUp: true,
    })
  })

  test('the invitation page distinguishes the invited account from another account', async () => {
    const { client } = await owner(t, 'ann@right.example', 'right')
    await invite(client, 'bob@right.example')
    const { id, token } = await mailed(t, 'bob@right.example')
    const bob = await t.signedIn('bob@right.example')
    expect(await view(bob, id, token)).toMatchObject({
      ...{ signedInAs: { email: 'bob@right.example', isInvited: true }, hasAccount: true, maySignUp: false },
    })
    expect(await view(client, id, token)).toMatchObject({ signedInAs: { email: 'ann@right.example', isInvited: false } })
    expect(await view(t.client(), id, token)).toMatchObject({ signedInAs: null, hasAccount: true, maySignUp: false })
  })

  test('the invitation page reveals whether the invited address has an account only to a visitor with the token of the mail', async () => {
    const { client } = await owner(t, 'ann@curious.example', 'curious')
    const { id } = await invite(client, 'bob@curious.example')
    for (const token of [undefined, 'wrong', 'x'.repeat(43)])
      expect(await view(client, id, token)).toMatchObject({ hasAccount: true, maySignUp: false })
  })

  test('the invitation page shows the status of an invitation, and nothing about an unknown invitation', async () => {
    const { client } = await owner(t, 'ann@became.example', 'became')
    const states: string[] = []
    for (const what of ['cancel', 'reject', 'accept'] as const) {
      const { id } = await invite(client, `${what}@became.example`)
      await answer(what === 'cancel' ? client : await t.signedIn(`${what}@became.example`), what, id)
      states.push((await view(t.client(), id)).state)
    }
    const { id } = await invite(client, 'late@became.example')
    const { token } = await mailed(t, 'late@became.example')
    t.clock.advance({ hours: 49 })
    const late = await view(t.client(), id, token)
    expect([...states, late.state, late.maySignUp]).toEqual(['canceled', 'rejected', 'accepted', 'expired', false])
    expect(await said(t.client().request('/hosted/invitation?id=unknown'))).toEqual([400, 'Invitation not found'])
  })
})

describe('signing up by invitation', () => {
  test('signing up by invitation verifies the invited address, starts a session and adds the member in one step', async () => {
    const { client, organizationId } = await owner(t, 'ann@joins.example', 'joins')
    await invite(client, 'bob@joins.example', { role: 'admin' })
    const { id, token } = await mailed(t, 'bob@joins.example')
    const bob = t.client()
    const body = { invitationId: id, token, name: 'Bob', password }
    const { invitation, member, user } = await bob.api.invitations.signUpInvited({ body })
    expect(user).toMatchObject({ email: 'bob@joins.example', emailVerified: true, name: 'Bob', role: 'user' })
    expect([invitation.status, member.role, member.userId]).toEqual(['accepted', 'admin', user.id])
    expect(await activeOf(bob)).toBe(organizationId)
    await t.client().api.accounts.signInEmail({ body: { email: 'bob@joins.example', password } })
    // The link is used up.
    expect(await said(signUp(t, id, token))).toEqual([400, 'Invitation not found'])
  })

  test('signing up by invitation requires the token of that pending invitation', async () => {
    const { client } = await owner(t, 'ann@token.example', 'token')
    const { id } = await invite(client, 'bob@token.example')
    await invite(client, 'eve@token.example')
    const own = await mailed(t, 'bob@token.example')
    const other = await mailed(t, 'eve@token.example')
    const refusal = [400, 'Invitation not found']
    for (const token of ['wrong', other.token, `${own.token}AAAA`, own.token.slice(1)])
      expect(await said(signUp(t, id, token)), token).toEqual(refusal)
    expect(await said(signUp(t, 'no-such-id', own.token))).toEqual(refusal)
    await answer(client, 'cancel', id)
    expect(await said(signUp(t, id, own.token))).toEqual(refusal)
    expect(await t.app.users.findByEmail(t.app.core.db, 'bob@token.example')).toBeUndefined()
  })

  test('signing up by invitation applies the password rules', async () => {
    const { client } = await owner(t, 'ann@rules.example', 'rules')
    await invite(client, 'bob@rules.example')
    const { id, token } = await mailed(t, 'bob@rules.example')
    expect(await said(signUp(t, id, token, { password: 'short' }))).toEqual([400, 'Password too short'])
    expect(await said(signUp(t, id, token, { password: 'x'.repeat(129) }))).toEqual([400, 'Password too long'])
    expect(await statusOf(t, id)).toBe('pending')
    expect((await signUp(t, id, token)).status).toBe(200)
  })

  test('signing up by invitation never takes over an existing account', async () => {
    const { client } = await owner(t, 'ann@taken.example', 'taken')
    // A person who never verified the address.
    const squatter = await t.signedIn('bob@taken.example', 'Squatter')
    await invite(client, 'bob@taken.example')
    const { id, token } = await mailed(t, 'bob@taken.example')
    expect(await said(signUp(t, id, token))).toEqual([422, 'User already exists'])
    const bob = t.client()
    await bob.api.passwords.requestPasswordReset({ body: { email: 'bob@taken.example' } })
    const { link } = await t.mailTo('bob@taken.example', 'reset-password')
    const reset = { newPassword: 'a new password of mine', token: /reset-password\/(\w+)/.exec(link)?.[1] ?? '' }
    await bob.api.passwords.resetPassword({ body: reset })
    await bob.api.accounts.signInEmail({ body: { email: 'bob@taken.example', password: reset.newPassword } })
    expect((await answer(bob, 'accept', id, token)).status).toBe(200)
    expect(await squatter.api.sessions.getSession()).toBeNull()
  })

  test('signing up by invitation ends the session of another account in the browser', async () => {
    const { client } = await owner(t, 'ann@before.example', 'before')
    await invite(client, 'bob@before.example')
    const { id, token } = await mailed(t, 'bob@before.example')
    const eve = await t.signedIn('eve@before.example')
    const before = new Map(eve.cookies)
    await eve.api.invitations.signUpInvited({ body: { invitationId: id, token, name: 'Bob', password } })
    expect((await userOf(eve)).email).toBe('bob@before.example')
    const old = t.client()
    for (const [name, value] of before) old.cookies.set(name, value)
    expect(await old.api.sessions.getSession()).toBeNull()
  })

  test('invited people cannot sign up if sign-up is off and invitedSignUpEnabled is not set, or if passwords are off', async () => {
    const closed = { accounts: { signUpEnabled: false } }
    const settings: readonly (readonly [changes: Record<string, unknown>, status: number])[] = [
      [closed, 400],
      [{ ...closed, organizations: { invitedSignUpEnabled: true } }, 200],
      [{ accounts: { emailPasswordEnabled: false }, organizations: { invitedSignUpEnabled: true } }, 400],
    ]
    const { client } = await owner(t, 'ann@closed.example', 'closed')
    for (const [i, [changes, status]] of settings.entries()) {
      const email = `bob${i}@closed.example`
      await invite(client, email)
      const { id, token } = await mailed(t, email)
      const node = await t.node(changes)
      try {
        const query = { query: { id, token } }
        expect((await node.client().api.invitations.viewInvitation(query)).maySignUp).toBe(status === 200)
        const headers = { origin: t.url }
        const body = { invitationId: id, token, name: 'Bob', password }
        const tried = await node.client().post('/hosted/invitation/sign-up', body, headers)
        expect(tried.status).toBe(status)
        if (status !== 200) expect(tried.json['code']).toBe('EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED')
      } finally {
        await node.stop()
      }
    }
  })

  test('signing up by invitation refuses common passwords if the setting demands it', async () => {
    const careful = await testApp({
      config: { password: { refuseCommon: true, memoryKib: 8, timeCost: 1, allowWeakHashing: true } },
    })
    try {
      const { client } = await owner(careful, 'ann@careful.example', 'careful')
      await invite(client, 'bob@careful.example')
      const { id, token } = await mailed(careful, 'bob@careful.example')
      expect(await said(signUp(careful, id, token, { password: 'password123' }))).toEqual([400, 'Password too common'])
    } finally {
      await careful.stop()
    }
  })
})
