/** An invited person with a second factor: from the mail to the organization, in a browser where nobody is signed in. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { outcome } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator } from '../../support/totp.ts'
import { answer, invite, mailed, statusOf } from './inviting.ts'
import { activeOf, owner } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  t.clock.hold()
})
afterAll(() => t.stop())

const refusal = [401, 'UNAUTHORIZED']

test('an invited person with a second factor becomes a member only after the second step', async () => {
  const email = 'bob@story.example'
  const { totpURI } = await withAuthenticator(t, email)
  const { client, organizationId } = await owner(t, 'ann@story.example', 'story')
  await invite(client, email)
  const { id, token } = await mailed(t, email)

  // The link opens in a browser in which nobody is signed in.
  const bob = t.client()
  const view = () => bob.api.invitations.viewInvitation({ query: { id, token } })
  expect(await view()).toMatchObject({ state: 'pending', signedInAs: null, hasAccount: true, maySignUp: false })
  expect(outcome(await answer(bob, 'accept', id, token))).toEqual(refusal)

  // After the password the sign-in is pending: the page shows nobody as signed in, and nothing can be accepted.
  expect(
    (await bob.post('/sign-in/email', { email, password, callbackURL: `/invitation/${id}?token=${token}` })).json,
  ).toMatchObject({
    twoFactorRedirect: true,
  })
  expect(await view()).toMatchObject({ signedInAs: null })
  for (const what of ['accept', 'reject'] as const) expect(outcome(await answer(bob, what, id, token))).toEqual(refusal)
  expect(outcome(await bob.post('/hosted/invitation/sign-up', { invitationId: id, token, name: 'Bob', password }))).toEqual([
    422,
    'USER_ALREADY_EXISTS',
  ])
  expect(await statusOf(t, id)).toBe('pending')

  // The second step, in the browser whose address contains the invitation.
  const target = encodeURIComponent(`/invitation/${id}?token=${token}`)
  expect((await bob.request(`/two-factor/pending?callbackURL=${target}`)).json).toMatchObject({ origin: 'pending' })
  t.clock.advance({ seconds: 60 })
  expect((await bob.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  expect(await view()).toMatchObject({ signedInAs: { email, isInvited: true } })
  expect((await answer(bob, 'accept', id, token)).status).toBe(200)
  expect(await activeOf(bob)).toBe(organizationId)
  expect(await statusOf(t, id)).toBe('accepted')
})

test('a person can join an organization that requires two factors with one factor, and gets access with the second factor', async () => {
  const { client, organizationId } = await owner(t, 'ann@strict.example', 'strict')
  const { totpURI } = await client.api.twoFactor.enable({ body: { password } })
  await client.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  const body = { organizationId, data: { requiresSecondFactor: true } }
  expect((await client.post('/organization/update', body)).status).toBe(200)
  await client.post('/organization/set-active', { organizationId })
  const email = 'eve@strict.example'
  await invite(client, email)
  const { id, token } = await mailed(t, email)
  const eve = await t.signedIn(email)
  expect((await answer(eve, 'accept', id, token)).status).toBe(200)
  const members = () => eve.request(`/organization/list-members?organizationId=${organizationId}`)
  expect(outcome(await members())).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
  const made = await eve.api.twoFactor.enable({ body: { password } })
  t.clock.advance({ seconds: 60 })
  await eve.api.twoFactor.verifyTotp({ body: { code: codeOf(made.totpURI) } })
  expect((await members()).status).toBe(200)
})
