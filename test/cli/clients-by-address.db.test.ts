/** Commands with a client id that is the address of a metadata document. */
import { writeFileSync } from 'node:fs'
import type { Server } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizePath, codeFor, queryOf, redeem } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import type { Client as Browser } from '../support/client.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'
import { httpsServer } from '../support/https-server.ts'

let database: TestDatabase
let env: Environment
let server: Server
let t: TestApp
let ann: Browser
let id: string
beforeAll(async () => {
  const started = await httpsServer((_req, res) => {
    const document = { client_id: id, client_name: 'Editor', redirect_uris: ['https://rp.example/callback'] }
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  server = started.server
  id = `${started.origin}/editors/client.json?a=1&b=%2F`
  database = await createDatabaseWithKeys()
  const oidc = { clientMetadataDocuments: 'listed', clientMetadataDocumentHosts: [new URL(id).host] }
  const config = join(database.dataDir, 'documents.yaml')
  writeFileSync(config, JSON.stringify({ oidc }))
  env = { ...environmentOf(database), GATEHOUSE_CONFIG: config }
  t = await testApp({ database, config: { oidc, outbound: { allow: ['localhost'] } } })
  ann = await t.signedIn('ann@example.com')
})
afterAll(async () => {
  await t.stop()
  server.closeAllConnections()
  server.close()
})

const run = (...args: readonly string[]) => runCommand(args, env)
const json = async (...args: readonly string[]) => {
  const done = await run(...args, '--json')
  // The command has another configuration than the application in this process, so it warns on standard error.
  expect(done.exitCode, done.stderr).toBe(0)
  return done.json() as Record<string, unknown>
}
const asks = async () => (await ann.request(authorizePath({ clientId: id, secret: undefined }))).location ?? ''

test(
  'get-client, explain, update-client, disable-client, enable-client and delete-client accept the URL of a metadata document as client id',
  slow,
  async () => {
    const client = { clientId: id, secret: undefined }
    expect((await redeem(t, client, await codeFor(ann, client))).status).toBe(200)
    expect(await json('get-client', id)).toMatchObject({ client_id: id, name: 'Editor', registered_by: 'anonymous' })
    expect((await run('list-clients')).stdout).toContain(id)
    const explained = await json('explain', '--user', 'ann@example.com', '--client', id)
    expect(JSON.stringify(explained)).toContain('Editor')
    expect(await json('update-client', id, '--review', 'approved')).toMatchObject({ client_id: id, review: 'approved' })
    const asked = await run('update-client', id, '--skip-consent')
    expect([asked.exitCode, asked.stderr]).toEqual([3, expect.stringContaining('always asked')])
    const secret = await run('rotate-client-secret', id, '--json')
    expect([secret.exitCode, JSON.parse(secret.stderr).code]).toEqual([3, 'CLIENT_HAS_NO_SECRET'])
    expect(await json('disable-client', id)).toEqual({ client_id: id, disabled: true })
    await expect.poll(async () => queryOf(await asks())['error']).toBe('client_disabled')
    expect(await json('list-failed-sign-ins', '--client', id)).toBeDefined()
    expect(await json('explain-sign-in', '--user', 'ann@example.com', '--client', id)).toBeDefined()
    expect((await run('enable-client', id)).stdout).toBe(`Enabled: ${id}\n`)
    expect(await json('delete-client', id, '--yes')).toEqual({ client_id: id, name: 'Editor' })
    expect((await run('get-client', id)).exitCode).toBe(3)
  },
)
