import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import type { Client } from '../support/client.ts'
import { explore } from '../support/explore.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { accounts: { deleteUserVerification: true } } })
})
afterAll(() => t.stop())

interface KnownSession {
  readonly userId: string
  ended: boolean
}

/** The expected state of the server, as far as the calls so far determine it. */
interface Model {
  readonly name: string
  readonly sessions: Map<string, KnownSession>
  /** The valid password of each user, and the earlier ones. */
  readonly passwords: Map<string, { readonly now: string | undefined; readonly old: readonly string[] }>
  /** Links and tokens that have been used. */
  readonly used: Set<string>
  count: number
}
type Real = { readonly browsers: readonly Client[] }
interface Step {
  readonly model: Model
  readonly client: Client
  readonly address: string
  readonly pick: number
}

const db = () => t.app.core.db.knex
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
const tokenIn = (client: Client) => client.cookies.get('gatehouse.session')?.split('.')[0]
const userByEmail = (email: string) => db()('user').where({ email }).first()
const usersOf = ({ name }: Model) =>
  db()('user')
    .select()
    .orderBy('id')
    .then((rows) => rows.filter(({ email }) => email.endsWith(`.${name}.example`)))

const noteSession = ({ sessions }: Model, client: Client, userId: string) => {
  const token = tokenIn(client)
  if (token !== undefined) sessions.set(token, { userId, ended: false })
}
const endSession = ({ sessions }: Model, token: string | undefined) => {
  const session = sessions.get(token ?? '')
  if (session !== undefined) session.ended = true
}
const endSessionsOf = ({ sessions }: Model, userId: string | undefined, exceptToken?: string) => {
  for (const [token, session] of sessions) if (session.userId === userId && token !== exceptToken) session.ended = true
}
const newPassword = (model: Model) => {
  model.count += 1
  return `password number ${model.count}`
}
/** Undefined when no password is valid any more. */
const notePassword = ({ passwords }: Model, userId: string, now: string | undefined) => {
  const before = passwords.get(userId)
  passwords.set(userId, { now, old: [...(before?.old ?? []), ...(before?.now === undefined ? [] : [before.now])] })
}
const userOf = ({ sessions }: Model, client: Client) => sessions.get(tokenIn(client) ?? '')?.userId

/** One of the links of these kinds that were mailed in this run. */
const mailedLink = async ({ model, pick }: Step, ...kinds: readonly string[]) => {
  const links = (await t.mails()).filter(({ kind, to }) => kinds.includes(kind) && to.endsWith(`.${model.name}.example`))
  return links.length === 0 ? undefined : links[pick % links.length]
}

/** Each makes one call, compares its answer with the model, and returns whether it had an effect. */
const calls: Readonly<Record<string, (step: Step) => Promise<boolean>>> = {
  signUp: async ({ model, client, address }) => {
    const before = tokenIn(client)
    const isTaken = (await userByEmail(address)) !== undefined
    const password = newPassword(model)
    const answer = await client.post('/sign-up/email', { name: 'Ann', email: address, password })
    expect(answer.status).toBe(isTaken ? 422 : 200)
    if (isTaken) return false
    const { id } = answer.json['user'] as { id: string }
    notePassword(model, id, password)
    endSession(model, before)
    noteSession(model, client, id)
    return true
  },
  signIn: async ({ model, client, address, pick }) => {
    const before = tokenIn(client)
    const user = await userByEmail(address)
    const known = model.passwords.get(user?.id)
    const tried = pick % 3 === 0 ? known?.old[pick % known.old.length] : known?.now
    const answer = await client.post('/sign-in/email', { email: address, password: tried ?? 'never right' })
    if (answer.status === 429) return false
    const isRight = known !== undefined && tried === known.now && tried !== undefined
    expect(answer.status).toBe(isRight ? 200 : 401)
    if (!isRight) return false
    endSession(model, before)
    noteSession(model, client, user.id)
    return true
  },
  signOut: async ({ model, client }) => {
    const before = tokenIn(client)
    const { status } = await client.post('/sign-out')
    if (status === 200) endSession(model, before)
    return status === 200
  },
  revokeOne: async ({ model, client, pick }) => {
    const tokens = [...model.sessions.keys()]
    const token = tokens[pick % Math.max(1, tokens.length)] ?? 'none'
    const mine = userOf(model, client)
    const { status } = await client.post('/revoke-session', { token })
    if (status !== 200) return false
    expect(model.sessions.get(token)?.userId).toBe(mine)
    endSession(model, token)
    return true
  },
  revokeMany: async ({ model, client, pick }) => {
    const [own, userId] = [tokenIn(client), userOf(model, client)]
    const keeps = pick % 2 === 0
    const { status } = await client.post(keeps ? '/revoke-other-sessions' : '/revoke-sessions')
    if (status !== 200) return false
    endSessionsOf(model, userId, keeps ? own : undefined)
    return true
  },
  askForReset: async ({ client, address }) => {
    const { status } = await client.post('/request-password-reset', { email: address })
    expect(status).toBe(200)
    return true
  },
  reset: async (step) => {
    const { model, client } = step
    const mail = await mailedLink(step, 'reset-password')
    const user = await userByEmail(mail?.to ?? '')
    const password = newPassword(model)
    const token = /reset-password\/(\w+)/.exec(mail?.link ?? '')?.[1]
    const { status } = await client.post('/reset-password', { token, newPassword: password })
    if (mail === undefined || status !== 200) return false
    expect(model.used).not.toContain(mail.link)
    model.used.add(mail.link)
    notePassword(model, user.id, password)
    endSessionsOf(model, user.id)
    return true
  },
  askForVerification: async ({ client, address }) =>
    (await client.post('/send-verification-email', { email: address })).status === 200,
  followLink: async (step) => {
    const { model, client } = step
    const mail = await mailedLink(step, 'verification', 'change-email')
    if (mail === undefined) return false
    const before = await usersOf(model)
    const isRefused = (await client.request(mail.link)).location?.includes('error=') === true
    const after = await usersOf(model)
    if (isRefused || model.used.has(mail.link)) expect(after).toEqual(before)
    else model.used.add(mail.link)
    return JSON.stringify(after) !== JSON.stringify(before)
  },
  changeEmail: async ({ client, address }) => {
    const isTaken = (await userByEmail(address)) !== undefined
    const { status } = await client.post('/change-email', { newEmail: address })
    if (isTaken) expect(status).not.toBe(200)
    return status === 200
  },
  changePassword: async ({ model, client, pick }) => {
    const userId = userOf(model, client)
    const newOne = newPassword(model)
    const body = { currentPassword: model.passwords.get(userId ?? '')?.now ?? 'never right', newPassword: newOne }
    const { status } = await client.post('/change-password', { ...body, revokeOtherSessions: pick % 2 === 0 })
    if (status !== 200 || userId === undefined) return false
    notePassword(model, userId, newOne)
    if (pick % 2 === 0) {
      endSessionsOf(model, userId)
      noteSession(model, client, userId)
    }
    return true
  },
  askForDeletion: async ({ client }) => (await client.post('/delete-user', {})).status === 200,
  deleteUser: async (step) => {
    const { model, client, pick } = step
    const mail = await mailedLink(step, 'delete-account')
    const userId = userOf(model, client)
    if (mail === undefined || userId === undefined) return false
    const token = new URL(mail.link).searchParams.get('token') ?? ''
    const { status } = pick % 2 === 0 ? await client.post('/delete-user', { token }) : await client.request(mail.link)
    if (status >= 400) return false
    expect(model.used).not.toContain(mail.link)
    model.used.add(mail.link)
    endSessionsOf(model, userId)
    model.passwords.delete(userId)
    return true
  },
  link: async ({ model, client, pick }) => {
    const userId = userOf(model, client)
    if (userId === undefined || !model.passwords.has(userId)) return false
    model.count += 1
    const id = `${model.name}-${model.count}`
    const row = { id, account_id: id, provider_id: pick % 2 === 0 ? 'github' : 'google', user_id: userId }
    await db()('account').insert({ ...row, created_at: new Date(), updated_at: new Date() })
    return true
  },
  unlink: async ({ model, client, pick }) => {
    const userId = userOf(model, client)
    const providerId = ['credential', 'github', 'google'][pick % 3] ?? ''
    const { status } = await client.post('/unlink-account', { providerId })
    if (status !== 200 || userId === undefined) return false
    if (providerId === 'credential') notePassword(model, userId, undefined)
    return true
  },
  wait: async ({ pick }) => {
    t.clock.advance({ minutes: [10, 59, 25 * 60, 8 * 24 * 60][pick % 4] ?? 0 })
    return true
  },
}

/** Chosen more often than others, so that sequences make progress. */
const often = ['signIn', 'signIn', 'reset', 'followLink', 'followLink', 'askForDeletion', 'deleteUser', 'link', 'unlink']

const holds = async (model: Model) => {
  const ended = [...model.sessions].flatMap(([token, session]) => (session.ended ? [hashOf(token)] : []))
  const alive = await db()('session').whereIn('token_hash', ended).where('expires_at', '>', new Date()).select('id')
  expect(alive, 'no session outlives its revocation').toEqual([])
  const users = await usersOf(model)
  expect(new Set(users.map(({ email }) => email.toLowerCase())).size, 'an address belongs to one user').toBe(users.length)
  for (const { id } of users)
    expect((await db()('account').where({ user_id: id })).length, 'a user keeps a way in').toBeGreaterThan(0)
  expect([...model.passwords.keys()].sort(), 'only whoever asked for it is gone').toEqual(users.map(({ id }) => id).sort())
}

const addressOf = ({ name }: Model, i: number) => `${'abc'[i]}@x.${name}.example`

const command = (name: string, effects: Set<string>) =>
  fc.record({ browser: fc.nat(1), address: fc.nat(2), pick: fc.nat(11) }).map(({ browser, address, pick }) => ({
    check: () => true,
    run: async (model: Model, { browsers }: Real) => {
      const client = browsers[browser] ?? t.client()
      const had = await calls[name]?.({ model, client, address: addressOf(model, address), pick })
      if (had === true) effects.add(name)
      await holds(model)
    },
    toString: () => `${name}(browser ${browser}, ${'abc'[address]}, ${pick})`,
  }))

test('in any order of account calls, sessions end, tokens work once, an email address belongs to one user and every user keeps a sign-in method', async () => {
  let number = 0
  const effects = new Set<string>()
  const commands = fc.commands(
    [...Object.keys(calls), ...often].map((name) => command(name, effects)),
    { maxCommands: 60, size: 'max' },
  )
  const everyCall = Object.keys(calls).sort()
  await explore(
    fc.asyncProperty(commands, async (sequence) => {
      number += 1
      const model: Model = { name: `run${number}`, sessions: new Map(), passwords: new Map(), used: new Set(), count: 0 }
      const real = { browsers: [t.client(), t.client()] }
      for (const [i, client] of real.browsers.entries())
        await calls['signUp']?.({ model, client, address: addressOf(model, i), pick: 0 })
      await fc.asyncModelRun(() => ({ model, real }), sequence)
      for (const [token, { ended }] of model.sessions) {
        if (!ended) continue
        const answer = await t.client().request('/get-session', { headers: { authorization: `Bearer ${token}` } })
        expect(answer.text).toBe('null')
      }
    }),
    () => effects.size === everyCall.length,
  )
  expect([...effects].sort(), 'every call had an effect at least once').toEqual(everyCall)
}, 300_000)
