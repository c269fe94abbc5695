import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { exportJWK, generateKeyPair } from 'jose'
import { createBrowser } from '../load/browser.ts'
import { freePort, type ProcessOptions, startProcess } from './process.ts'

/** `filled` is gatehouse with many deliveries in its inbox, `grown` is gatehouse among many organizations. */
export type TargetName = 'gatehouse' | 'filled' | 'grown' | 'floor' | 'engine'

export interface Client {
  readonly id: string
  readonly secret: string
}

/** A running server and what a virtual user needs to know of it. */
export interface Target {
  readonly name: TargetName
  readonly pid: number
  readonly origin: string
  /** Empty for one that has none. */
  readonly databaseUrl: string
  readonly readyMs: number
  /** Signs people in by the authorization code flow. */
  readonly web: Client
  /** Gets tokens for itself. */
  readonly machine: Client
  stop(): Promise<void>
  /** Stops it and starts it again; resolves to the time it took to be ready. */
  restart(): Promise<number>
}

export interface TargetOptions {
  readonly databaseUrl: string
  readonly dataDir: string
  readonly verbose: boolean
}

interface GatehouseOptions extends TargetOptions {
  readonly name?: 'gatehouse' | 'filled' | 'grown'
}

/** Where the authorization code goes. Nothing listens there: the load reads the address. */
export const redirectUri = 'http://localhost:9/callback'
export const password = 'correct horse battery'
/** Signs billing events, by the bytes of its text. */
export const webhookSecret = 'the secret of the benchmark and of nobody'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const nobody: Client = { id: '', secret: '' }

const running = async (
  name: TargetName,
  databaseUrl: string,
  options: ProcessOptions,
  clients: () => Promise<Pick<Target, 'web' | 'machine'>>,
): Promise<Target> => {
  let child = await startProcess(options)
  return {
    name,
    databaseUrl,
    origin: child.origin,
    readyMs: child.readyMs,
    ...(await clients()),
    get pid() {
      return child.pid
    },
    stop: () => child.stop(),
    restart: async () => {
      await child.stop()
      child = await startProcess(options)
      return child.readyMs
    },
  }
}

export const startFloor = async ({ databaseUrl, verbose }: TargetOptions): Promise<Target> => {
  const port = await freePort()
  const args = [join(root, 'bench/targets/floor-server.ts'), databaseUrl, String(port), webhookSecret]
  return running('floor', databaseUrl, { args, port, readyPath: '/ok', verbose }, async () => ({ web: nobody, machine: nobody }))
}

export const startEngine = async (modulusLength: number, verbose: boolean): Promise<Target> => {
  const port = await freePort()
  const { privateKey } = await generateKeyPair('RS256', { modulusLength, extractable: true })
  const key = JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'bench', alg: 'RS256', use: 'sig' })
  const args = [join(root, 'bench/targets/engine-server.ts'), `http://localhost:${port}`, redirectUri]
  const secret = 'a secret of the benchmark, not of anybody'
  return running(
    'engine',
    '',
    { args, port, env: { BENCH_KEY: key }, readyPath: '/.well-known/openid-configuration', verbose },
    async () => ({
      web: { id: 'bench-web', secret },
      machine: { id: 'bench-machine', secret },
    }),
  )
}

/** The daemon as an operator starts it, with its defaults; clients are registered by its command line. */
export const startGatehouse = async ({
  name = 'gatehouse',
  databaseUrl,
  dataDir,
  verbose,
}: GatehouseOptions): Promise<Target> => {
  mkdirSync(dataDir, { recursive: true })
  const port = await freePort()
  const env = {
    GATEHOUSE_URL: `http://localhost:${port}`,
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_DATABASE_URL: databaseUrl,
    GATEHOUSE_WEBHOOK_SECRET: webhookSecret,
    GATEHOUSE_SECRET: 'Zm9yIHRoZSBiZW5jaG1hcmsgb25seSwgbm90IGEgc2VjcmV0IGF0IGFsbA',
  }
  const launcher = join(root, 'bin/gatehouse.js')
  const register = async (...args: readonly string[]): Promise<Client> => {
    const { stdout } = await run(process.execPath, [launcher, 'register-client', '--json', ...args], {
      env: { ...process.env, ...env },
    })
    const { client_id, client_secret } = JSON.parse(stdout)
    return { id: client_id, secret: client_secret }
  }
  return running(
    name,
    databaseUrl,
    { args: ['--max-semi-space-size=16', launcher, 'serve'], port, readyPath: '/readyz', env, verbose },
    async () => ({
      web: await register('--name', 'Benchmark', '--redirect-uri', redirectUri),
      machine: await register('--name', 'Benchmark machine', '--type', 'machine'),
    }),
  )
}

/** Bits of the RSA key a target signs with, so that the engine can be given one of the same size. */
export const rsaBits = async (target: Target): Promise<number> => {
  const browser = createBrowser(target.origin)
  const { body } = await browser.get('/jwks')
  browser.close()
  const { keys }: { keys: readonly { kty: string; n?: string }[] } = JSON.parse(body)
  const modulus = keys.find((key) => key.kty === 'RSA')?.n
  return modulus === undefined ? 2048 : Buffer.from(modulus, 'base64url').length * 8
}
