import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { answer, invite, mailed } from './inviting.ts'
import { operator, owner, to, userOf } from './people.ts'

/** Everything that the server writes apart from the mail: answers, log lines, and rows of the database. */
const said: string[] = []

let t: TestApp
beforeAll(async () => {
  t = await testApp({ onLog: (line) => said.push(line) })
})
afterAll(() => t.stop())

/** Every row of every table as text. */
const stored = async (): Promise<string> => {
  const tables = ['invitation', 'member', 'organization', 'session', 'user', 'verification']
  const { knex } = t.app.core.db
  const rows: unknown[] = await knex('task').where({ kind: 'mail.send' })
  for (const name of tables) rows.push(...(await knex(name).select()))
  return JSON.stringify(rows)
}

test('the token of an invitation is only in the mail: no response, list, log line or database row contains the token', async () => {
  const { client, organizationId } = await owner(t, 'ann@secret.example', 'secret')
  const asked = async (path: string, body?: unknown) => {
    const { text } = body === undefined ? await client.request(path) : await client.post(path, body)
    said.push(text)
  }
  const { id } = await invite(client, 'bob@secret.example')
  await asked('/organization/invite-member', { email: 'bob@secret.example', role: 'member', resend: true })
  await asked('/organization/invite-members', { emails: ['carl@secret.example'], role: 'member' })
  await asked(to('list-invitations', { organizationId }))
  await asked(to('get-full-organization', { organizationId }))
  await asked(to('get-invitation', { id }))
  await asked('/organization/set-active', { organizationId })
  await asked(`/hosted/invitation?id=${id}`)
  said.push(
    JSON.stringify(await t.app.invitations.invite(operator, { email: 'dan@secret.example', role: 'member', organizationId })),
  )
  const tokens = []
  for (const name of ['bob', 'carl', 'dan']) tokens.push((await mailed(t, `${name}@secret.example`)).token)
  await t.mails()
  // The addresses of the page and its call contain the token, and the log omits it.
  for (const path of [`/invitation/${id}`, `/hosted/invitation?id=${id}`])
    said.push((await t.client().request(`${path}${path.includes('?') ? '&' : '?'}token=${tokens[0]}`)).text)
  const bob = await t.signedIn('bob@secret.example')
  said.push((await bob.request(to('get-invitation', { id }))).text)
  said.push((await answer(bob, 'accept', id, tokens[0])).text)
  await asked('/organization/cancel-invitation', { invitationId: (await mailed(t, 'carl@secret.example')).id })
  // Without a mail server the mail's link to the newcomer is logged. This line is the mail.
  const others = said.filter((line) => !line.includes('"mail written')).join('\n') + (await stored())
  expect(said.some((line) => line.includes('/hosted/invitation'))).toBe(true)
  for (const token of tokens) {
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(others).not.toContain(token)
    expect(others).not.toContain(Buffer.from(token, 'base64url').toString('base64'))
  }
})

test('an inviter who registers the invited address first cannot verify it by accepting the invitation or with the token of another invitation', async () => {
  const { client } = await owner(t, 'eve@squat.example', 'squat')
  const squatter = await t.signedIn('victim@squat.example', 'Eve again')
  const { id } = await invite(client, 'victim@squat.example')
  const own = await invite(client, 'eve2@squat.example')
  const { token } = await mailed(t, 'eve2@squat.example')
  for (const wrong of [undefined, 'x', token, own.id]) {
    const tried = await answer(squatter, 'accept', id, wrong)
    expect((await userOf(squatter)).emailVerified).toBe(false)
    if (tried.status === 200) break
  }
  expect((await t.app.users.findByEmail(t.app.core.db, 'victim@squat.example'))?.emailEverVerified).toBe(false)
  const taken = await t.client().post('/hosted/invitation/sign-up', { invitationId: id, token, name: 'Eve', password })
  expect(taken.status).toBe(400)
})

test('accepting an invitation with its token verifies the invited address of the signed-in account', async () => {
  const { client } = await owner(t, 'ann@proven.example', 'proven')
  await invite(client, 'bob@proven.example')
  const { id, token } = await mailed(t, 'bob@proven.example')
  const bob = await t.signedIn('bob@proven.example')
  await bob.post('/change-email', { newEmail: 'robert@proven.example' })
  expect((await answer(bob, 'accept', id, token)).status).toBe(403)
  expect((await userOf(bob)).emailVerified).toBe(false)
  await bob.post('/change-email', { newEmail: 'bob@proven.example' })
  expect((await answer(bob, 'accept', id, token)).status).toBe(200)
  expect((await userOf(bob)).emailVerified).toBe(true)
})
