/** What the tables of `*-ending.both.test.ts` are made of: people about to conclude something, and what ends before that is committed. */
import { expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { lockRow, type Tx } from '../../../src/core/db/database.ts'
import type { TestApp } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { endBetweenCheckAndCommit } from '../../support/overlap.ts'
import { errorOf } from '../../support/social/flow.ts'

export const system = systemPrincipal('test')

/** Somebody who has done all but the last step of something. */
export interface Scene {
  readonly email: string
  /** The browser of the last step. */
  readonly browser: Client
  /** The last step, which passes its checks. */
  readonly act: () => Promise<Answer>
  /** Something else that the row needs, such as the id of an organization. */
  readonly about?: string
}

export interface Ending {
  readonly tx: Tx
  /** Id of the person. */
  readonly id: string
  readonly scene: Scene
}

export interface Row {
  readonly scene: (email: string) => Promise<Scene>
  /** What ends, in the transaction of another node. */
  readonly end: (ending: Ending) => Promise<unknown>
  /** Status, and code or `error` of a redirect. */
  readonly answer: readonly [status: number, code: unknown]
  /** What is left of it, for the person and the browser; a browser that is signed in, where nothing is named. */
  readonly left?: (scene: Scene, id: string) => Promise<unknown>
  /** The value of `left`; false, where nothing is named. */
  readonly leaves?: unknown
}

export const refusalOf = (answer: Answer): readonly [number, unknown] => [
  answer.status,
  answer.json['code'] ?? answer.json['error'] ?? errorOf(answer),
]

/** What ends of a person, by what a node does in its place. */
export const endings = (node: () => TestApp) => ({
  sessions: ({ tx, id }: Ending) => node().app.sessions.endAll(tx, system, id),
  /** As a sign-out does, which locks nothing but the session. */
  signOut: ({ tx, id }: Ending) => tx.knex('session').where({ user_id: id }).delete(),
  waiting: ({ tx, id }: Ending) => tx.knex('pending_sign_in').where({ user_id: id }).delete(),
  account: async ({ tx, id }: Ending) => node().app.deletion.remove(tx, system, await node().app.users.require(tx, id)),
  ban: ({ tx, id }: Ending) => node().app.users.ban(tx, system, id, { reason: 'test', expiresAt: null }),
  password: async ({ tx, id }: Ending) => {
    await lockRow(tx, 'user', id)
    await tx.knex('account').where({ user_id: id }).update({ password: 'another hash' })
  },
  address: ({ tx, id }: Ending) =>
    tx
      .knex('user')
      .where({ id })
      .update({ email: `${id.toLowerCase()}@elsewhere.example`, email_version: 7 }),
  claim: async ({ tx, id }: Ending) =>
    node().app.passwordService.claim(tx, system, await node().app.users.require(tx, id), 'the hash of who claims it'),
  otherFactor: ({ tx, id }: Ending) => tx.knex('user').where({ id }).update({ second_factor_since: new Date() }),
  factors: ({ tx, id }: Ending) => tx.knex('user').where({ id }).update({ second_factor_since: null }),
  role: async ({ tx, id }: Ending) => {
    // As every change of roles does first: it locks them.
    await node().app.users.confirmPermissions(tx, system)
    await node().app.users.setRole(tx, system, await node().app.users.require(tx, id), 'user')
  },
  /** All that the person has in a table. */
  rows:
    (table: string) =>
    ({ tx, id }: Ending) =>
      tx.knex(table).where({ user_id: id }).delete(),
})

let people = 0

/** A test for each row. The first node is that of the ending. */
export const testRows = (nodes: () => readonly [TestApp, TestApp], rows: Readonly<Record<string, Row>>): void => {
  const isSignedIn = async ({ browser }: Scene) => (await browser.api.sessions.getSession()) !== null
  test.each(Object.entries(rows))('%s', async (_, { scene, end, answer, left = isSignedIn, leaves = false }) => {
    people += 1
    const [one, two] = nodes()
    const twin = await scene(`twin${people}@example.com`)
    const other = await scene(`person${people}@example.com`)
    const { id } = await one.app.users.require(one.app.core.db, other.email)
    // Before the last step, which may use the code of a moment.
    one.clock.advance({ seconds: 60 })
    const answered = await endBetweenCheckAndCommit([one, two], {
      twin: async () => {
        const done = await twin.act()
        expect([done.status < 400, errorOf(done)], `without an ending: ${done.status} ${done.text}`).toEqual([true, null])
      },
      act: other.act,
      end: (tx) => end({ tx, id, scene: other }),
    })
    expect(refusalOf(answered)).toEqual(answer)
    expect(await left(other, id)).toEqual(leaves)
  })
}
