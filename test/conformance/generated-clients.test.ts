/** Clients that three generators of others make from the API document compile. In `npm run test:full`, where the registries can be reached. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, type TestContext, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const document = join(root, 'docs/openapi.json')
/** Kept from run to run: an installation takes a minute. */
const cache = join(root, 'node_modules/.cache/gatehouse-generators')
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const isFull = process.env['GATEHOUSE_TEST_FULL'] === '1'

const versions = { 'openapi-typescript': '7.13.0', typescript: '5.9.3' } as const
const pythonVersions = { 'openapi-generator-cli': '7.26.0', 'openapi-python-client': '0.29.1' } as const

const slow = { timeout: 600_000 }

const call = async (program: string, args: readonly string[], cwd = cache): Promise<string> => {
  // A generator calls the formatter that was installed beside it.
  const env = { ...process.env, PATH: [dirname(program), process.env['PATH']].join(delimiter) }
  try {
    const { stdout, stderr } = await run(program, args, { cwd, env, maxBuffer: 1 << 28, timeout: 400_000 })
    return stdout + stderr
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string }
    throw new Error(`${program} ${args.join(' ')}: ${stdout.slice(-4000)}\n${stderr.slice(-4000)}\n${message}`)
  }
}

/** Skips the test by name where a tool is not to be had: the registry cannot be reached, or the machine has no such runtime. */
const required = async (context: TestContext, what: string, work: () => Promise<unknown>): Promise<void> => {
  if (!isFull) context.skip('runs in npm run test:full')
  try {
    await work()
  } catch (error) {
    context.skip(`${what} is not to be had here: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`)
  }
}

const emptied = (name: string): string => {
  const path = join(cache, name)
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  return path
}

const compileTypeScript = async (directory: string) => {
  const compilerOptions = {
    ...{
      strict: true,
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom'],
      types: [],
      noEmit: true,
    },
    skipLibCheck: false,
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  await call(process.execPath, [compiler, '-p', directory])
}

const fromNpm = async () => {
  if (existsSync(join(cache, 'npm/node_modules/openapi-typescript'))) return
  const directory = emptied('npm')
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies: versions }))
  await call('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], directory)
}

const fromPyPi = async (name: keyof typeof pythonVersions) => {
  const directory = join(cache, name)
  if (existsSync(join(directory, 'bin', name))) return
  emptied(name)
  await call('python3', ['-m', 'venv', directory])
  await call(join(directory, 'bin/pip'), ['install', '--quiet', `${name}==${pythonVersions[name]}`, 'ruff'])
}

beforeAll(() => mkdirSync(cache, { recursive: true }))

test('openapi-typescript makes types of the API document that compile in strict mode', slow, async (context) => {
  await required(context, 'openapi-typescript', fromNpm)
  const directory = emptied('types')
  const program = join(cache, 'npm/node_modules/openapi-typescript/bin/cli.js')
  await call(process.execPath, [program, document, '-o', join(directory, 'api.ts')])
  const use = `import type { operations } from './api.js'\nexport type Users = operations['adminListUsers']['responses'][200]['content']['application/json']\nexport const count = (answer: Users): number => answer.users.length\n`
  writeFileSync(join(directory, 'use.ts'), use)
  await compileTypeScript(directory)
})

test('openapi-generator makes a client of the API document that compiles in strict mode', slow, async (context) => {
  await required(context, 'Java', () => call('java', ['-version']))
  await required(context, 'openapi-generator-cli', () => fromPyPi('openapi-generator-cli'))
  const directory = emptied('fetch')
  const program = join(cache, 'openapi-generator-cli/bin/openapi-generator-cli')
  await call(program, ['generate', '-i', document, '-g', 'typescript-fetch', '-o', directory])
  expect(readdirSync(join(directory, 'models')).length).toBeGreaterThan(100)
  await compileTypeScript(directory)
})

test('openapi-python-client makes a package of the API document whose modules compile and import', slow, async (context) => {
  await required(context, 'openapi-python-client', () => fromPyPi('openapi-python-client'))
  const directory = emptied('python')
  const bin = join(cache, 'openapi-python-client/bin')
  const said = await call(
    join(bin, 'openapi-python-client'),
    ['generate', '--path', document, '--meta', 'none', '--output-path', join(directory, 'gatehouse_client')],
    directory,
  )
  // What it cannot read it leaves out, with a warning: files and streams.
  expect(said).not.toContain('ERROR')
  const leftOut = [...said.matchAll(/^WARNING parsing (\S+ \S+)/gm)].map(([, operation]) => operation).sort()
  expect(leftOut).toEqual(['GET /admin/backups/{id}/content', 'GET /admin/events/verification', 'GET /images/{id}'])
  await call(join(bin, 'python'), ['-m', 'compileall', '-q', 'gatehouse_client'], directory)
  const modules = readdirSync(join(directory, 'gatehouse_client/models')).filter((name) => name.endsWith('.py'))
  expect(modules.length).toBeGreaterThan(100)
  await call(join(bin, 'python'), ['-c', 'import gatehouse_client, gatehouse_client.models'], directory)
})

test('no property of the API document is of the type null alone, of which generators make a model that is not there', () => {
  const found: string[] = []
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'properties' && typeof inner === 'object' && inner !== null)
        for (const [name, property] of Object.entries(inner))
          if ((property as { type?: unknown }).type === 'null') found.push(`${path}/${name}`)
      walk(inner, `${path}/${key}`)
    }
  }
  walk(JSON.parse(readFileSync(document, 'utf8')), '')
  expect(found).toEqual([])
})
