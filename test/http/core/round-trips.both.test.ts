/** The number of times an operation waits for an answer of PostgreSQL, counted on the wire, including begin and commit. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { password, testApp } from '../../support/app.ts'
import { createDatabaseWithKeys, dialect, isPooled } from '../../support/database.ts'
import { authorizePath, codeFor, offline, redeem, refresh, register } from '../oidc/flow.ts'

/** A proxy to a database server that counts round trips: each message sent after an answer. */
const countTurns = async (address: string) => {
  const { hostname, port } = new URL(address)
  let turns = 0
  const server = createServer((near) => {
    let isAnswered = true
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
    near.on('data', (data) => {
      if (isAnswered) turns += 1
      isAnswered = false
      far.write(data)
    })
    far.on('data', (data) => {
      isAnswered = true
      near.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(address)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    of: async (work: () => Promise<unknown>): Promise<number> => {
      const before = turns
      await work()
      return turns - before
    },
    close: () => void server.close(),
  }
}

test.runIf(dialect === 'postgres')(
  'a transaction on PostgreSQL sends its begin with the first statement and its commit with the events',
  async () => {
    const database = await createDatabaseWithKeys()
    const turns = await countTurns(database.url)
    const t = await testApp({ database: { ...database, url: turns.url } })
    try {
      const shop = await register(t)
      const ann = await t.signedIn('ann@example.com')
      await t.app.jobs.stop()
      const signIn = () => ann.post('/sign-in/email', { email: 'ann@example.com', password })
      const codes = [await codeFor(ann, shop, offline), await codeFor(ann, shop, offline)]
      let { json: tokens } = await redeem(t, shop, codes[0] ?? '')
      const renew = async () => ({ json: tokens } = await refresh(t, shop, tokens['refresh_token']))
      // Statements that a connection has prepared are not prepared again.
      for (let round = 0; round < 3; round += 1) await signIn().then(renew)
      // A pooler answers each begin before any other statement. A sign-in has two transactions.
      const begins = isPooled ? 1 : 0
      expect(await turns.of(signIn)).toBe(13 + 2 * begins)
      // A code for a signed-in person with consent: one read of session and consent, one write of the code.
      await codeFor(ann, shop)
      expect(await turns.of(() => ann.request(authorizePath(shop)))).toBe(3)
      // An exchange takes one read, and one statement that consumes and inserts.
      expect(await turns.of(() => redeem(t, shop, codes[1] ?? ''))).toBe(2)
      expect(await turns.of(renew)).toBe(2)
    } finally {
      await t.stop()
      turns.close()
    }
  },
)
