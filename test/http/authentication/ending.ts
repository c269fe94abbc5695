/** The parts of the tables in `*-ending.both.test.ts`: people about to complete an action, and what ends before the action is committed. */
import { expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { lockRow, type Tx } from '../../../src/core/db/database.ts'
import type { TestApp } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { endBetweenCheckAndCommit } from '../../support/overlap.ts'
import { errorOf } from '../../support/social/flow.ts'

export const system = systemPrincipal('test')

/** A person who has done all but the last step of an action. */
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
  /** The change that ends the basis of the action, in the transaction of another node. */
  readonly end: (ending: Ending) => Promise<unknown>
  /** Status, and code or `error` of a redirect. */
  readonly answer: readonly [status: number, code: unknown]
  /** Reads the effect of the action, for the person and the browser. By default: whether the browser is signed in. */
  readonly left?: (scene: Scene, id: string) => Promise<unknown>
  /** The expected value of `left`, false by default. */
  readonly leaves?: unknown
}

export const refusalOf = (answer: Answer): readonly [number, unknown] => [
  answer.status,
  answer.json['code'] ?? answer.json['error'] ?? errorOf(answer),
]

/** Changes that end something of a person, made by another node. */
export const endings = (node: () => TestApp) => ({
  sessions: ({ tx, id }: Ending) => node().app.sessions.endAll(tx, system, id),
  /** As a sign-out does, which locks only the session. */
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
    // Every change of roles locks them first.
    await node().app.users.confirmPermissions(tx, system)
    await node().app.users.setRole(tx, system, await node().app.users.require(tx, id), 'user')
  },
  /** Deletes all rows of the person in a table. */
  rows:
    (table: string) =>
    ({ tx, id }: Ending) =>
      tx.knex(table).where({ user_id: id }).delete(),
})

let people = 0

/** Defines a test for each row. The first node makes the change that ends something. */
export const testRows = (nodes: () => readonly [TestApp, TestApp], rows: Readonly<Record<string, Row>>): void => {
  const isSignedIn = async ({ browser }: Scene) => (await browser.api.sessions.getSession()) !== null
  test.each(Object.entries(rows))('%s', async (_, { scene, end, answer, left = isSignedIn, leaves = false }) => {
    people += 1
    const [one, two] = nodes()
    const twin = await scene(`twin${people}@example.com`)
    const other = await scene(`person${people}@example.com`)
    const { id } = await one.app.users.require(one.app.core.db, other.email)
    // The clock moves before the last step, which may use a code that is valid for a moment.
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
