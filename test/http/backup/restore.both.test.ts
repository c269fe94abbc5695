import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { readBackup } from '../../../src/backup/file/read.ts'
import { CreateInitialAccessToken } from '../../../src/oidc/initial-access-tokens/contract.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { type BackupDirectory, backUp, createBackupDirectory, restore } from '../../support/backup.ts'
import { slow } from '../../support/binary.ts'
import type { Client } from '../../support/client.ts'
import { createDatabase, createSqliteDatabase, dialect, type TestDatabase } from '../../support/database.ts'
import { sealAll } from '../../support/events.ts'
import { type Application, codeFor, offline, redeem, refresh, register, userinfo } from '../oidc/flow.ts'

let directory: BackupDirectory
const apps: TestApp[] = []
beforeEach(() => {
  directory = createBackupDirectory()
})
afterEach(async () => {
  for (const app of apps.splice(0).reverse()) await app.stop()
  directory.remove()
})

/** Starts a node on a restored database, at the address that its tokens name. */
const startOn = async (database: TestDatabase, url: string): Promise<TestApp> => {
  const app = await testApp({ database, config: { url, trustedOrigins: ['http://localhost:*'] } })
  apps.push(app)
  return app
}

interface Known {
  readonly application: Application
  readonly ann: Client
  readonly refreshToken: unknown
  readonly accessToken: unknown
  readonly keys: readonly string[]
}

/** The public keys, sorted. */
const keysOf = async (t: TestApp): Promise<readonly string[]> => {
  const { keys } = (await t.client().request('/jwks')).json as { keys: object[] }
  return keys.map((key) => JSON.stringify(key)).sort()
}

/** The session of a browser at another node. */
const withCookies = (t: TestApp, { cookies }: Client): Client => {
  const client = t.client()
  for (const [name, value] of cookies) client.cookies.set(name, value)
  return client
}

/** Checks that everything valid at the time of the backup is valid now. Returns the next refresh token. */
const checkGood = async (t: TestApp, { application, ann, refreshToken, accessToken, keys }: Known): Promise<unknown> => {
  expect(await t.app.audit.verify()).toMatchObject({ faults: [] })
  const session = await withCookies(t, ann).api.sessions.getSession({ query: {} })
  expect(session?.user.email).toBe('ann@example.com')
  const signIn = await t.client().post('/sign-in/email', { email: 'ann@example.com', password })
  expect(signIn.status).toBe(200)
  expect(await keysOf(t)).toEqual(keys)
  expect((await userinfo(t, accessToken)).status).toBe(200)
  const next = await refresh(t, application, refreshToken)
  expect([next.status, next.json['error']]).toEqual([200, undefined])
  const replayed = await t.client().post('/sign-in/email', { email: 'ann@example.com', password: `${password}x` })
  expect(replayed.status).toBe(401)
  return next.json['refresh_token']
}

/** Signs people up and lets them found organizations until it is stopped. */
const keepWriting = (t: TestApp) => {
  let isOver = false
  let written = 0
  const work = async (name: string) => {
    for (let i = 0; !isOver; i += 1) {
      const client = await t.signedIn(`${name}-${i}@example.com`)
      await client.api.organizations.createOrganization({ body: { name: `${name} ${i}`, slug: `${name}-${i}` } })
      written += 1
    }
  }
  const done = Promise.allSettled(['bea', 'cid'].map(work))
  return {
    written: () => written,
    stop: async () => {
      isOver = true
      expect((await done).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    },
  }
}

/** The changes that a restore itself makes: a recorded event, a running task that is due again, and no readers of events. */
const changing = ['event', 'backup', 'task', 'event_reader']

const tablesOf = async (file: string) => {
  const { tables } = await readBackup(file)
  return Object.fromEntries(tables.flatMap(({ table, sha256 }) => (changing.includes(table) ? [] : [[table, sha256]])))
}

test(
  'a backup made during sign-ups restores a single moment, and passwords, sessions, tokens, clients and the event chain work in either database',
  slow,
  async () => {
    const t = await testApp({ config: { limits: { enabled: 'off' } } })
    apps.push(t)
    const ann = await t.signedIn('ann@example.com')
    const application = await register(t)
    const tokens = await redeem(t, application, await codeFor(ann, application, offline))
    const keys = await keysOf(t)
    await sealAll(t)
    const writer = keepWriting(t)
    const file = directory.file('under-load.jsonl.gz')
    try {
      const made = await backUp(t.database, file)
      expect(made.json()).toMatchObject({ file, hasKeys: false })
    } finally {
      await writer.stop()
    }
    expect(writer.written()).toBeGreaterThan(0)

    let known: Known = {
      application,
      ann,
      keys,
      refreshToken: tokens.json['refresh_token'],
      accessToken: tokens.json['access_token'],
    }
    // The test on PostgreSQL restores into SQLite and back.
    const targets = dialect === 'sqlite' ? [createDatabase] : [createSqliteDatabase, createDatabase]
    let from = file
    for (const [i, create] of targets.entries()) {
      const database = await create()
      const restored = await restore(database, from, '--keep-access')
      expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
      const again = directory.file(`again-${i}.jsonl.gz`)
      await backUp(database, again)
      if (i === 0) expect(await tablesOf(again)).toEqual(await tablesOf(from))
      const copy = await startOn(database, t.url)
      const { knex } = copy.app.core.db
      const [{ users, passwords }] = (await knex('user')
        .select(
          knex('user').count('*').as('users'),
          knex('account').where({ provider_id: 'credential' }).count('*').as('passwords'),
        )
        .limit(1)) as [{ users: unknown; passwords: unknown }]
      expect(Number(users)).toBe(Number(passwords))
      known = { ...known, refreshToken: await checkGood(copy, known) }
      // Sequences continue after the existing rows. This call enqueues a mail.
      const late = await copy.signedIn(`late-${i}@example.com`)
      expect((await late.api.sessions.getSession({ query: {} }))?.user.email).toBe(`late-${i}@example.com`)
      await sealAll(copy)
      from = directory.file(`from-${i}.jsonl.gz`)
      await backUp(database, from)
    }
  },
)

test(
  'a restore ends sessions, tokens, remembered browsers and pending steps, and lists API keys, initial access tokens and ended bans that it restored',
  slow,
  async () => {
    const t = await testApp({ config: { limits: { enabled: 'off' } } })
    apps.push(t)
    const ann = await t.signedIn('ann@example.com')
    const mallory = await t.signedIn('mallory@example.com')
    const application = await register(t)
    const tokens = await redeem(t, application, await codeFor(ann, application, offline))
    const system = systemPrincipal('test')
    const key = await t.app.apiKeys.create(system, { kind: 'instance' }, { name: 'Nightly', permissions: ['users:read'] })
    const makeToken = (name: string) => t.app.oidc.initialAccessTokens.create(system, CreateInitialAccessToken.parse({ name }))
    const { token: initial } = await makeToken('Vendor')
    await t.app.oidc.initialAccessTokens.revoke(system, (await makeToken('Revoked before')).token.id)
    const banned = await t.app.users.require(t.app.core.db, 'mallory@example.com')
    await t.app.core.transact((tx) => tx.knex('user').where({ id: banned.id }).update({ banned_at: new Date() }))
    await t.verify('ann@example.com')
    await t.app.passwordService.createRecoveryLink(system, 'ann@example.com', { secondFactor: false })
    const file = directory.file('access.jsonl.gz')
    await backUp(t.database, file)
    const database = await createDatabase()
    const restored = await restore(database, file)
    expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
    const result = restored.json() as { ended: Record<string, number>; comingBack: Record<string, string[]> }
    expect(result.ended).toMatchObject({ sessions: 2, 'codes, tokens and authorizations': expect.any(Number), 'mailed links': 1 })
    const back = Object.values(result.comingBack).flat()
    expect(back).toEqual([
      expect.stringContaining('mallory@example.com'),
      expect.stringContaining(key.id),
      `${initial.id} Vendor`,
    ])
    const copy = await startOn(database, t.url)
    expect(await withCookies(copy, ann).api.sessions.getSession({ query: {} })).toBeNull()
    expect(await withCookies(copy, mallory).api.sessions.getSession({ query: {} })).toBeNull()
    expect((await userinfo(copy, tokens.json['access_token'])).status).toBe(401)
    expect((await refresh(copy, application, tokens.json['refresh_token'])).json['error']).toBe('invalid_grant')
    expect((await copy.client().post('/sign-in/email', { email: 'ann@example.com', password })).status).toBe(200)
    expect(await copy.app.audit.verify()).toMatchObject({ faults: [] })
    const tables = copy.app.registered.flatMap(({ access = {} }) => Object.keys(access))
    // The two tables that the sign-in above and a setup link fill again.
    for (const table of tables.filter((name) => name !== 'session' && name !== 'verification'))
      expect([table, await copy.app.core.db.knex(table)]).toEqual([table, []])
  },
)
