import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { exportJWK, generateKeyPair } from 'jose'
import { freePort, inherited, type ProcessOptions, startProcess } from './process.ts'

/**
 * Names of the servers. `beside` is the gatehouse of another checkout. `filled` is gatehouse with many deliveries in its inbox, and
 * `grown` is gatehouse with many organizations. `capped` is the floor with gatehouse's limit on simultaneous password hashes.
 */
export type TargetName = 'gatehouse' | 'beside' | 'filled' | 'grown' | 'floor' | 'capped' | 'engine'

export interface Client {
  readonly id: string
  readonly secret: string
}

/** A running server, with the facts that a virtual user needs. */
export interface Target {
  readonly name: TargetName
  readonly pid: number
  /** Process id of the PostgreSQL server that it uses. */
  readonly databasePid?: number
  readonly origin: string
  /** Empty for a server without a database. */
  readonly databaseUrl: string
  readonly readyMs: number
  readonly readyCpuMs: number
  /** The client for the authorization code flow. */
  readonly web: Client
  /** The client that gets tokens for itself (client credentials). */
  readonly machine: Client
  stop(): Promise<void>
  /** Stops the server and starts it again. Returns the time and the processor time until it is ready. */
  restart(): Promise<{ readonly ms: number; readonly cpuMs: number }>
}

export interface TargetOptions {
  readonly databaseUrl: string
  readonly databasePid?: number | undefined
  readonly dataDir: string
  readonly verbose: boolean
}

interface GatehouseOptions extends TargetOptions {
  readonly name?: 'gatehouse' | 'beside' | 'filled' | 'grown'
  /** Path of another checkout, in place of this one. */
  readonly checkout?: string | undefined
  /** Settings other than the defaults. */
  readonly env?: Readonly<Record<string, string>>
}

/** Bits of the RSA key with which every server signs. */
export const rsaBits = 2048
/** The redirect address for authorization codes. Nothing listens there, because the load reads the code from the redirect. */
export const redirectUri = 'http://localhost:9/callback'
export const password = 'correct horse battery'
/** The secret that signs billing events. Its bytes are those of this text. */
export const webhookSecret = 'the secret of the benchmark and of nobody'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const secretOfGatehouse = 'Zm9yIHRoZSBiZW5jaG1hcmsgb25seSwgbm90IGEgc2VjcmV0IGF0IGFsbA'
const nobody: Client = { id: '', secret: '' }

const running = async (
  name: TargetName,
  { databaseUrl, databasePid }: Pick<TargetOptions, 'databaseUrl' | 'databasePid'>,
  options: ProcessOptions,
  clients: () => Promise<Pick<Target, 'web' | 'machine'>>,
): Promise<Target> => {
  let child = await startProcess(options)
  return {
    name,
    databaseUrl,
    ...(databasePid === undefined ? {} : { databasePid }),
    readyCpuMs: child.readyCpuMs,
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
      return { ms: child.readyMs, cpuMs: child.readyCpuMs }
    },
  }
}

export const startFloor = async (name: 'floor' | 'capped', { verbose, ...database }: TargetOptions): Promise<Target> => {
  const port = await freePort()
  const cap = name === 'capped' ? ['capped'] : []
  const args = [join(root, 'bench/targets/floor-server.ts'), database.databaseUrl, String(port), webhookSecret, ...cap]
  const env = { UV_THREADPOOL_SIZE: '8' }
  return running(name, database, { args, port, env, readyPath: '/ok', verbose }, async () => ({ web: nobody, machine: nobody }))
}

export const startEngine = async (verbose: boolean): Promise<Target> => {
  const port = await freePort()
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: rsaBits, extractable: true })
  const key = JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'bench', alg: 'RS256', use: 'sig' })
  const args = [join(root, 'bench/targets/engine-server.ts'), `http://localhost:${port}`, redirectUri]
  const secret = 'a secret of the benchmark, not of anybody'
  return running(
    'engine',
    { databaseUrl: '' },
    { args, port, env: { BENCH_KEY: key }, readyPath: '/.well-known/openid-configuration', verbose },
    async () => ({
      web: { id: 'bench-web', secret },
      machine: { id: 'bench-machine', secret },
    }),
  )
}

/** Starts the daemon with its defaults, as an operator does. Its command line registers the clients. */
export const startGatehouse = async ({
  name = 'gatehouse',
  databaseUrl,
  dataDir,
  databasePid,
  checkout = root,
  verbose,
  env: more = {},
}: GatehouseOptions): Promise<Target> => {
  mkdirSync(dataDir, { recursive: true })
  const port = await freePort()
  const env = {
    GATEHOUSE_URL: `http://localhost:${port}`,
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_DATABASE_URL: databaseUrl,
    GATEHOUSE_WEBHOOK_SECRET: webhookSecret,
    GATEHOUSE_OIDC_RSA_MODULUS_LENGTH: String(rsaBits),
    GATEHOUSE_SECRET: secretOfGatehouse,
    ...more,
  }
  const launcher = join(checkout, 'bin/gatehouse.js')
  const register = async (...args: readonly string[]): Promise<Client> => {
    const { stdout } = await run(process.execPath, [launcher, 'register-client', '--json', ...args], {
      env: { ...inherited(), ...env },
    })
    const { client_id, client_secret } = JSON.parse(stdout)
    return { id: client_id, secret: client_secret }
  }
  return running(
    name,
    { databaseUrl, databasePid },
    { args: [launcher, 'serve'], port, readyPath: '/readyz', env, verbose },
    async () => ({
      web: await register('--name', 'Benchmark', '--redirect-uri', redirectUri),
      machine: await register('--name', 'Benchmark machine', '--type', 'machine'),
    }),
  )
}

/** Processor time of one command of the command line, from its start to its end, in seconds. */
export const commandSeconds = async ({
  databaseUrl,
  dataDir,
}: Pick<TargetOptions, 'databaseUrl' | 'dataDir'>): Promise<number> => {
  const env = {
    ...inherited(),
    GATEHOUSE_DATABASE_URL: databaseUrl,
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_SECRET: secretOfGatehouse,
  }
  const script = '"$0" "$1" list-users --json >/dev/null 2>&1; times'
  const { stdout } = await run('sh', ['-c', script, process.execPath, join(root, 'bin/gatehouse.js')], { env })
  // The second line is about the children: `0m0.41s 0m0.06s`.
  const parts = [...(stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0)
}
