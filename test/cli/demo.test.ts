import { existsSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDemo } from '../../examples/relying-party/start.ts'
import { freePort, reservePort } from '../support/port.ts'
import { scratchDirectory } from '../support/scratch.ts'

let directory: string
let dataDir: string
let server: Server

beforeEach(() => {
  directory = scratchDirectory('gatehouse-demo-')
  dataDir = join(directory, 'demo')
})
afterEach(() => {
  server.close()
  rmSync(directory, { recursive: true })
})

/** A server on the port of the demo that answers every request with this text. */
const listenWith = async (body: string) => {
  const { port, socket } = await reservePort()
  server = createServer((_req, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(body)).listen(socket)
  return port
}

test('npm run demo recognizes a gatehouse on its port, starts nothing, and says how to start the demo on another port', async () => {
  const port = await listenWith('{"ok":true,"checks":{"database":"ok"}}')
  await expect(startDemo({ port, appPort: 0, dataDir })).rejects.toThrow(
    `Port ${port} is taken by a gatehouse that runs already. Stop it, or start the demo beside it: DEMO_PORT=${port + 1} npm run demo`,
  )
  expect(existsSync(dataDir)).toBe(false)
})

test('npm run demo names the port that another program uses, both for gatehouse and for the application', async () => {
  const port = await listenWith('hello')
  await expect(startDemo({ port, appPort: 0, dataDir })).rejects.toThrow(
    `Port ${port} is taken. Stop what listens there, or: DEMO_PORT=${port + 1} npm run demo`,
  )
  await expect(startDemo({ port: await freePort(), appPort: port, dataDir })).rejects.toThrow(`RP_PORT=${port + 1} npm run demo`)
  expect(existsSync(dataDir)).toBe(false)
})
