import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { invite } from '../organizations/inviting.ts'
import { owner } from '../organizations/people.ts'

let t: TestApp
let github: FakeGitHub
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({
    config: { outbound, social: { github: github.section }, mailSignIn: { enabled: true }, mailFrom: 'Büro <post@büro.example>' },
  })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

const written = 'jorg@exämple.de'
const stored = 'jorg@xn--exmple-cua.de'

test('email addresses with two spellings of one domain are one account, wherever the address is typed', async () => {
  const signedUp = await t.client().post('/sign-up/email', { name: 'Jörg', email: written, password })
  expect([signedUp.status, signedUp.json['user']]).toEqual([200, expect.objectContaining({ email: stored })])
  await t.verify(stored)
  for (const email of [written, stored, 'Jorg@EXÄMPLE.de', 'jorg@exa\u0308mple.de', 'jorg@exämple。de']) {
    expect((await t.client().post('/sign-in/email', { email, password })).status, email).toBe(200)
    expect((await t.client().post('/sign-up/email', { name: 'Jörg', email, password })).json['code'], email).toBe(
      'USER_ALREADY_EXISTS',
    )
  }
  expect((await t.app.users.require(t.app.core.db, written)).email).toBe(stored)

  await t.client().post('/request-password-reset', { email: written, redirectTo: '/reset-password' })
  expect(await t.mailKinds(stored)).toContain('reset-password')
  await t.client().post('/sign-in/magic-link', { email: written, callbackURL: '/account' })
  await t.mailTo(stored, 'sign-in')
})

test('an email address from a provider, an invitation or a change belongs to the same account in each spelling of its domain', async () => {
  github.state.person = githubPerson(4711, written)
  const atGitHub = t.client()
  expect((await signInAt(atGitHub, { provider: 'github', callbackURL: '/account' })).location).toBe('/account')
  expect((await atGitHub.api.sessions.getSession())?.user.email).toBe(stored)

  const { client } = await owner(t, 'olga@example.com', 'buero')
  expect((await invite(client, 'unal@exämple.de')).email).toBe('unal@xn--exmple-cua.de')
  const again = await client.post('/organization/invite-member', { email: 'unal@xn--exmple-cua.de', role: 'member' })
  expect(again.json['code']).toBe('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION')

  const jorg = t.client()
  await jorg.post('/sign-in/email', { email: written, password })
  const same = await jorg.post('/change-email', { newEmail: 'JORG@exämple.DE' })
  expect(same.json['code']).toBe('EMAIL_IS_THE_SAME')
})

test('mails are sent to the domain in ASCII, and show an email address in the spelling of its person', async () => {
  const { client } = await owner(t, 'ida@example.com', 'ida')
  await invite(client, 'ann@ünal.example')
  const { raw } = await t.mailTo('ann@xn--nal-goa.example', 'invitation')
  expect(raw).toContain('post@xn--bro-hoa.example')
  expect(raw).toMatch(/^To: .*ann@xn--nal-goa\.example/m)
  expect(Buffer.from(raw, 'latin1').toString('utf8')).toContain('The invitation is for ann@ünal.example')
})

test('administration lists find and filter an email address in each spelling of its domain', async () => {
  const admin = await t.signedIn('root@example.com')
  await t.app.core.db.knex('user').where({ email: 'root@example.com' }).update({ role: 'admin', email_verified: true })
  await t.client().post('/sign-up/email', { name: 'Lars', email: 'lars@smörgås.example', password })
  const found = async (query: Record<string, string>) =>
    (
      (await admin.request(`/admin/list-users?${new URLSearchParams(query)}`)).json['users'] as { email: string }[] | undefined
    )?.map(({ email }) => email)
  const lars = ['lars@xn--smrgs-pra0j.example']
  for (const spelling of ['lars@smörgås.example', 'lars@xn--smrgs-pra0j.example', 'LARS@SMÖRGÅS.example']) {
    expect(await found({ filterField: 'email', filterValue: spelling }), spelling).toEqual(lars)
    expect(await found({ searchField: 'email', searchValue: spelling }), spelling).toEqual(lars)
  }
  expect(await found({ searchField: 'email', searchValue: '@smörg' })).toEqual(lars)
})
