/**
 * The database cost of each hot path: statements, transactions, and round trips in all. A change that makes one cheaper or more expensive
 * has to change the table below on purpose.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { statementsOf } from '../../support/statements.ts'
import { bodyOf, secret, send } from '../billing/sender.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  machineToken,
  offline,
  postForm,
  redeem,
  refresh,
  register,
  userinfo,
} from '../oidc/flow.ts'
import { answer, invite } from '../organizations/inviting.ts'
import { owner } from '../organizations/people.ts'

interface Cost {
  readonly statements: number
  readonly transactions: number
}
const cost = (statements: number, transactions: number): Cost => ({ statements, transactions })
const both = (statements: number, transactions: number) => {
  const same = cost(statements, transactions)
  return { sqlite: same, postgres: same }
}

/**
 * Statements without begin and commit, and transactions. PostgreSQL takes locks that SQLite does not need with its one writer, and
 * exchanges tokens in one statement.
 */
const costs: Readonly<Record<string, Readonly<Record<'sqlite' | 'postgres', Cost>>>> = {
  'a session check': both(1, 0),
  'a sign-in with a password from a known browser': { sqlite: cost(10, 2), postgres: cost(12, 2) },
  'a sign-in with a password from a new browser': { sqlite: cost(9, 2), postgres: cost(11, 2) },
  'a sign-in with an address that nobody has': { sqlite: cost(4, 1), postgres: cost(5, 1) },
  'a sign-in with a wrong password': { sqlite: cost(4, 1), postgres: cost(5, 1) },
  'a sign-up': both(8, 1),
  // One of these statements reads which applications have to be notified.
  'a sign-out': both(4, 1),
  'an authorization of somebody signed in who has agreed': both(3, 0),
  'an exchange of a code': { sqlite: cost(3, 1), postgres: cost(2, 0) },
  'a refresh': { sqlite: cost(3, 1), postgres: cost(2, 0) },
  'a token of a machine': both(1, 0),
  'a call of userinfo': both(1, 0),
  'an introspection': both(1, 0),
  'a delivery of a new customer': { sqlite: cost(8, 1), postgres: cost(10, 1) },
  'a delivery of a customer known before': { sqlite: cost(6, 1), postgres: cost(7, 1) },
  'a list of members': both(3, 0),
  'an invitation that is accepted': { sqlite: cost(15, 1), postgres: cost(17, 1) },
}

let t: TestApp
let shop: Application
let machine: Application
let ann: Client
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret] } } })
  shop = await register(t)
  machine = await register(t, { name: 'Machine', type: 'machine', redirectUris: [] })
  ann = await t.signedIn('ann@example.com')
  // The jobs are stopped, because their statements would be counted too.
  await t.app.jobs.stop()
})
afterAll(() => t.stop())

/** Counts the second call, because the first may prepare something for later calls. */
const costOf = async (work: (round: number) => Promise<unknown>): Promise<Cost> => {
  // Failed attempts are recorded beside the answer.
  const whole = (round: number) => work(round).then(() => t.app.signInFailures?.settled())
  await whole(1)
  const words = (await statementsOf(t, () => whole(2))).map(({ sql }) => sql.split(/[ ;]/, 1)[0]?.toLowerCase() ?? '')
  const transactions = words.filter((word) => word === 'begin').length
  return { statements: words.filter((word) => !/^(begin|commit)$/.test(word)).length, transactions }
}

const signIn = (client: Client, email = 'ann@example.com', given = password) =>
  client.post('/sign-in/email', { email, password: given })
const newCustomer = () => bodyOf('subscription.active', { customerId: randomUUID(), productId: randomUUID() })

/** The operations by their name in the table. Their preparation is not counted. */
const operations: Readonly<Record<string, () => Promise<(round: number) => Promise<unknown>>>> = {
  'a session check': async () => () => ann.request('/get-session'),
  'a sign-in with a password from a known browser': async () => {
    const browser = await t.signedIn('known@example.com')
    return () => signIn(browser, 'known@example.com')
  },
  'a sign-in with a password from a new browser': async () => () => signIn(t.client()),
  'a sign-in with an address that nobody has': async () => () => signIn(t.client(), `${randomUUID()}@example.com`),
  'a sign-in with a wrong password': async () => {
    await t.signedIn('wrong1@example.com')
    await t.signedIn('wrong2@example.com')
    return (round) => signIn(t.client(), `wrong${round}@example.com`, 'another password')
  },
  'a sign-up': async () => (round) =>
    t.client().post('/sign-up/email', { email: `new${round}@example.com`, name: 'New', password }),
  'a sign-out': async () => {
    const browsers = [await t.signedIn('out1@example.com'), await t.signedIn('out2@example.com')]
    return (round) => browsers[round - 1]?.post('/sign-out', {}) ?? Promise.reject(new Error('no browser'))
  },
  'an authorization of somebody signed in who has agreed': async () => async () => {
    await goOn(ann, await ann.request(authorizePath(shop)))
  },
  'an exchange of a code': async () => {
    const codes = [await codeFor(ann, shop), await codeFor(ann, shop)]
    return (round) => redeem(t, shop, codes[round - 1] ?? '')
  },
  'a refresh': async () => {
    let token = (await redeem(t, shop, await codeFor(ann, shop, offline))).json['refresh_token']
    return async () => {
      token = (await refresh(t, shop, token)).json['refresh_token']
    }
  },
  'a token of a machine': async () => () => machineToken(t, machine),
  'a call of userinfo': async () => {
    const { json } = await redeem(t, shop, await codeFor(ann, shop))
    return () => userinfo(t, json['access_token'])
  },
  'an introspection': async () => {
    const { json } = await redeem(t, shop, await codeFor(ann, shop))
    return () => postForm(t, shop, '/oauth2/introspect', { token: String(json['access_token']) })
  },
  'a delivery of a new customer': async () => () => send(t.url, newCustomer()),
  'a delivery of a customer known before': async () => {
    const [customerId, productId] = [randomUUID(), randomUUID()]
    await send(t.url, bodyOf('subscription.active', { customerId, productId }))
    return () => send(t.url, bodyOf('subscription.active', { customerId, productId }))
  },
  'a list of members': async () => {
    const { client } = await owner(t, 'lister@example.com', 'listed')
    return () => client.request('/organization/list-members')
  },
  'an invitation that is accepted': async () => {
    const { client } = await owner(t, 'owner@example.com', 'acme')
    const guests = await Promise.all(
      [1, 2].map(async (round) => {
        const guest = await t.signedIn(`guest${round}@example.com`)
        await t.verify(`guest${round}@example.com`)
        return { guest, id: (await invite(client, `guest${round}@example.com`)).id }
      }),
    )
    return (round) => {
      const { guest, id } = guests[round - 1] ?? { guest: client, id: '' }
      return answer(guest, 'accept', id)
    }
  },
}

describeOnBoth('statements and transactions of hot paths', () => {
  testOnBoth.each(Object.entries(operations))(
    '%s takes exactly the statements and transactions of the table',
    async (name, prepare) => {
      expect(await costOf(await prepare())).toEqual(costs[name]?.[dialect])
    },
  )

  testOnBoth('deliveries of several new customers in one transaction take as many statements as one delivery', async () => {
    const ten = () => Promise.all(Array.from({ length: 10 }, () => send(t.url, newCustomer())))
    const { statements, transactions } = await costOf(ten)
    const one = costs['a delivery of a new customer']?.[dialect].statements ?? 0
    expect(transactions).toBeLessThan(10)
    expect(statements).toBeLessThanOrEqual(transactions * one)
  })

  test('a sign-in takes the same statements for an unknown address and for a wrong password', () => {
    expect(costs['a sign-in with an address that nobody has']).toEqual(costs['a sign-in with a wrong password'])
  })
})
