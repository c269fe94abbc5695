/**
 * Clients generated from the API document by three external generators compile. Runs in `npm run test:full`, which has access to the
 * registries.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { apiDocument } from '../../bin/api-document.ts'
import { installFromNpm, packageCache, requireTool, runTool } from '../support/test-packages.ts'

const root = join(import.meta.dirname, '../..')
const document = join(packageCache, 'openapi.json')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

const versions = { 'openapi-typescript': '7.13.0', typescript: '5.9.3' } as const
const pythonVersions = { 'openapi-generator-cli': '7.26.0', 'openapi-python-client': '0.29.1' } as const

const slow = { timeout: 600_000 }

const emptied = (name: string): string => {
  const path = join(packageCache, name)
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
  await runTool(process.execPath, [compiler, '-p', directory])
}

const fromPyPi = async (name: keyof typeof pythonVersions) => {
  const directory = join(packageCache, name)
  if (existsSync(join(directory, 'bin', name))) return
  emptied(name)
  await runTool('python3', ['-m', 'venv', directory])
  await runTool(join(directory, 'bin/pip'), ['install', '--quiet', `${name}==${pythonVersions[name]}`, 'ruff'])
}

beforeAll(() => {
  mkdirSync(packageCache, { recursive: true })
  writeFileSync(document, JSON.stringify(apiDocument()))
})

test('openapi-typescript generates types from the API document that compile in strict mode', slow, async (context) => {
  const installed = await requireTool(context, 'openapi-typescript', () => installFromNpm('openapi-typescript', versions))
  const directory = emptied('types')
  const program = join(installed, 'node_modules/openapi-typescript/bin/cli.js')
  await runTool(process.execPath, [program, document, '-o', join(directory, 'api.ts')])
  const use = `import type { operations } from './api.js'\nexport type Users = operations['adminListUsers']['responses'][200]['content']['application/json']\nexport const count = (answer: Users): number => answer.users.length\n`
  writeFileSync(join(directory, 'use.ts'), use)
  await compileTypeScript(directory)
})

test('openapi-generator generates a client from the API document that compiles in strict mode', slow, async (context) => {
  await requireTool(context, 'Java', () => runTool('java', ['-version']))
  await requireTool(context, 'openapi-generator-cli', () => fromPyPi('openapi-generator-cli'))
  const directory = emptied('fetch')
  const program = join(packageCache, 'openapi-generator-cli/bin/openapi-generator-cli')
  await runTool(program, ['generate', '-i', document, '-g', 'typescript-fetch', '-o', directory])
  expect(readdirSync(join(directory, 'models')).length).toBeGreaterThan(100)
  await compileTypeScript(directory)
})

test(
  'openapi-python-client generates a package from the API document whose modules compile and import',
  slow,
  async (context) => {
    await requireTool(context, 'openapi-python-client', () => fromPyPi('openapi-python-client'))
    const directory = emptied('python')
    const bin = join(packageCache, 'openapi-python-client/bin')
    const said = await runTool(
      join(bin, 'openapi-python-client'),
      ['generate', '--path', document, '--meta', 'none', '--output-path', join(directory, 'gatehouse_client')],
      directory,
    )
    // The generator skips what it cannot read with a warning: files and streams.
    expect(said).not.toContain('ERROR')
    const leftOut = [...said.matchAll(/^WARNING parsing (\S+ \S+)/gm)].map(([, operation]) => operation).sort()
    expect(leftOut).toEqual(['GET /admin/backups/{id}/content', 'GET /admin/events/verification', 'GET /images/{id}'])
    await runTool(join(bin, 'python'), ['-m', 'compileall', '-q', 'gatehouse_client'], directory)
    const modules = readdirSync(join(directory, 'gatehouse_client/models')).filter((name) => name.endsWith('.py'))
    expect(modules.length).toBeGreaterThan(100)
    await runTool(join(bin, 'python'), ['-c', 'import gatehouse_client, gatehouse_client.models'], directory)
  },
)

test('no property of the API document has only the type null, because generators would refer to a missing model', () => {
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
