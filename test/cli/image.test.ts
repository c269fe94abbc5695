import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { apiDocument } from '../../bin/api-document.ts'
import { digestOfSources } from '../../bin/sources.js'
import { runCommand } from '../support/binary.ts'
import { temporaryDirectory } from '../support/directory.ts'
import { closeIdleConnections } from '../support/request.ts'

const root = join(import.meta.dirname, '../..')
const place = temporaryDirectory()
const [app, data, temporary] = [join(place, 'app'), join(place, 'data'), join(place, 'tmp')]
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
/** Another user than root, as in the image. A test run by another user than root keeps its user. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
let url = ''
let daemon: ChildProcess | undefined
let said = ''

const readOnly = (path: string): void => {
  const isDirectory = statSync(path).isDirectory()
  if (isDirectory) for (const name of readdirSync(path)) if (name !== 'node_modules') readOnly(join(path, name))
  chmodSync(path, isDirectory ? 0o555 : 0o444)
}

beforeAll(async () => {
  mkdirSync(app)
  chmodSync(place, 0o755)
  for (const own of [data, temporary]) {
    mkdirSync(own, { mode: 0o700 })
    if (user !== undefined) chownSync(own, user.uid, user.gid)
  }
  // Follows the Dockerfile: builds the bundle, unless there is one of these sources already, copies only what runs, and compiles.
  execFileSync(process.execPath, ['bin/bundle.ts'], { cwd: root })
  const programs = ['bin/gatehouse.js', 'bin/precompile.js']
  for (const part of ['dist/gatehouse.js', `dist/${digestOfSources()}`, 'package.json', ...programs, 'admin-ui/dist'])
    cpSync(join(root, part), join(app, part), { recursive: true, filter: (file) => !file.includes('.code') })
  symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'))
  const env = { PATH: process.env['PATH'], NODE_ENV: 'production', MALLOC_ARENA_MAX: '2', TMPDIR: temporary }
  execFileSync(process.execPath, [join(app, 'bin/precompile.js')], { cwd: app, env: { ...env, TMPDIR: place } })
  readOnly(app)
  const [, ...options]: string[] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]')
  daemon = spawn(process.execPath, [...options.slice(0, -1), join(app, 'bin/gatehouse.js'), 'serve'], {
    cwd: app,
    env: { ...env, GATEHOUSE_DATA_DIR: data, PORT: '0', GATEHOUSE_HOST: '0.0.0.0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  for (const stream of [daemon.stdout, daemon.stderr]) stream?.on('data', (text: Buffer) => (said += text))
  // Long timeouts, because a busy machine compiles and starts slowly and this test is not about speed.
  await vi.waitFor(
    async () => {
      url = `http://127.0.0.1:${/"address":"0\.0\.0\.0:(\d+)"/.exec(said)?.[1]}`
      expect((await fetch(`${url}/readyz`)).status, said).toBe(200)
    },
    { timeout: 240_000, interval: 100 },
  )
}, 300_000)

afterAll(async () => {
  if (daemon?.exitCode === null) {
    daemon.kill('SIGKILL')
    await once(daemon, 'exit')
  }
})

test('the image names its user by number, because Kubernetes otherwise cannot see that the user is not root', () => {
  // `runAsNonRoot: true` refuses an image whose user is a name.
  expect(/^USER (.*)$/m.exec(dockerfile)?.[1]).toMatch(/^[1-9]\d*:[1-9]\d*$/)
})

test('the built program has the same commands as its sources, with the same texts', async () => {
  const { stdout, exitCode } = await runCommand(['--help'], {})
  const built = execFileSync(process.execPath, [join(app, 'bin/gatehouse.js'), '--help'], { cwd: app, encoding: 'utf8' })
  expect([exitCode, built]).toEqual([0, stdout])
})

test('the stack trace of an error in the built program names files and lines of the sources', () => {
  const bug = 'data:text/javascript,Object.defineProperty(process, "stdout", { get() { throw new Error("for the test") } })'
  const { stderr } = spawnSync(process.execPath, ['--import', bug, join(app, 'bin/gatehouse.js'), '--version'], {
    encoding: 'utf8',
  })
  expect(stderr).toMatch(/for the test[\s\S]*src\/main\.ts:\d+:\d+/)
})

test.skipIf(process.platform !== 'linux')('a daemon frees memory that only its start needed', async () => {
  // The launcher has started Node again with the options that free memory. This test comes before those whose answers take new memory.
  const mebibytes = (name: string) => {
    const status = readFileSync(`/proc/${daemon?.pid}/status`, 'utf8')
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  }
  await vi.waitFor(() => expect(mebibytes('VmHWM') - mebibytes('VmRSS')).toBeGreaterThan(8), { timeout: 60_000, interval: 200 })
  expect(await (await fetch(`${url}/get-session`)).json()).toBeNull()
})

test('the built program runs from a read-only tree as a user who owns only the data directory', async () => {
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  expect(readdirSync(data)).toEqual(expect.arrayContaining(['gatehouse.db', 'secret']))
})

test('the health check of the image uses the port that the program takes from the same variables', async () => {
  const [command = '', ...args]: string[] = JSON.parse(/^HEALTHCHECK[\s\S]*?CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]')
  const check = async (env: Record<string, string>) =>
    (await once(spawn(command, args, { env: { PATH: process.env['PATH'], ...env } }), 'exit'))[0]
  const { port } = new URL(url)
  const link = 'tcp://10.0.0.7:80'
  const environments = [
    { GATEHOUSE_PORT: port, PORT: '1' },
    { PORT: port },
    { PORT: ` "${port}" ` },
    { GATEHOUSE_PORT: `'${port}'`, PORT: '1' },
    { GATEHOUSE_PORT: '', PORT: port },
    { GATEHOUSE_PORT: ' ', PORT: port },
    { GATEHOUSE_PORT: link, PORT: port },
  ]
  expect(await Promise.all(environments.map(check))).toEqual(environments.map(() => 0))
  expect(await check({ GATEHOUSE_PORT: '1', PORT: port })).toBe(1)
})

test('the built program serves the built pages', async () => {
  const page = await fetch(`${url}/sign-in`, { headers: { accept: 'text/html' } })
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<script type="module"')
})

test('the built program describes the same API as its sources', async () => {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { readonly paths: unknown }
  expect({ paths }).toEqual({ paths: JSON.parse(JSON.stringify(apiDocument())).paths })
})

test('the built program defines no accessor at each request of the OpenID Provider, and creates no error for a valid token', async () => {
  const bundle = join(app, 'dist', /\w{16}/.exec(readFileSync(join(app, 'dist/gatehouse.js'), 'utf8'))?.[0] ?? '')
  const code = readdirSync(bundle)
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(bundle, file), 'utf8'))
    .join('')
  expect(code).toContain('new this.OIDCContext(')
  expect(code).not.toMatch(/defineProperty\(\w+,\W*oidc\W/)
  expect(code).not.toMatch(/\.assert\(\w+,new InvalidToken\(\W*(access token|associated (client|account))/)
  const answer = await fetch(`${url}/oauth2/userinfo`, { headers: { authorization: 'Bearer unknown' } })
  expect([answer.status, await answer.json()]).toEqual([401, expect.objectContaining({ error: 'invalid_token' })])
  expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
})

test('the built program exits with 0 after SIGTERM', async () => {
  closeIdleConnections(Number(new URL(url).port))
  daemon?.kill('SIGTERM')
  expect(daemon === undefined ? [] : await once(daemon, 'exit')).toEqual([0, null])
})

/** The files of compiled code below a directory. */
const codeIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.code'))

test('a container runs code that was compiled when the image was built, and compiles only files that were not loaded during the build', () => {
  expect(codeIn(temporary).map((file) => basename(file).replace(/-.*/, ''))).toEqual(['openapi'])
})

test.skipIf(user === undefined)(
  'a user who may not write beside the bundle stores compiled code in a directory that nobody else may enter, and trusts no other directory',
  () => {
    const launcher = join(app, 'bin/gatehouse.js')
    /** Runs the program with an option of Node for which no code has been stored. */
    const version = (option: string) =>
      spawnSync(process.execPath, [option, launcher, '--version'], { env: { TMPDIR: temporary }, encoding: 'utf8', ...user })
        .stdout
    expect(version('--stack-size=901')).toMatch(/^\d+\.\d+/)
    const own = join(temporary, `gatehouse-${user?.uid}`)
    expect([statSync(own).mode & 0o777, codeIn(temporary).length > 0]).toEqual([0o700, true])
    // Node's own cache for modules trusts a directory of any owner at this place.
    expect(existsSync(join(temporary, 'node-compile-cache'))).toBe(false)

    // Another user could have created such a directory, with code of their own in it.
    const before = codeIn(temporary)
    for (const open of [
      () => chmodSync(own, 0o770),
      () => {
        chownSync(own, 0, 0)
        chmodSync(own, 0o777)
      },
    ]) {
      open()
      expect(version('--stack-size=902')).toMatch(/^\d+\.\d+/)
      expect(codeIn(temporary)).toEqual(before)
    }
  },
)
