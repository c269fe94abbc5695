/** A client that oazapfts generates from the API document of the running server, and the document compared with the OpenAPI schema. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../support/administrators.ts'
import { type TestApp, testApp } from '../support/app.ts'

let t: TestApp
let dir: string
beforeAll(async () => {
  t = await testApp()
  dir = mkdtempSync(join(tmpdir(), 'gatehouse-openapi-client-'))
})
afterAll(async () => {
  await t.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** On a busy machine the compiler alone may take a minute. */
const slow = { timeout: 240_000 }

const modules = join(import.meta.dirname, '../../node_modules')
const run = promisify(execFile)
/** Returns the standard output of a package's program. Compiler errors are part of the thrown error. */
const node = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> => {
  try {
    return (await run(process.execPath, args, { cwd: dir, env: { ...process.env, ...env }, maxBuffer: 1 << 26 })).stdout
  } catch (error) {
    throw new Error(`${args[0]}: ${(error as { stdout?: string }).stdout}\n${(error as { stderr?: string }).stderr}`)
  }
}

test('the API document is valid against the OpenAPI schema and names the address of the instance', slow, async () => {
  const document = (await (await fetch(`${t.url}/openapi.json`)).json()) as { servers: object[]; components: { schemas: object } }
  expect(await new Validator().validate(document)).toEqual({ valid: true })
  expect(document.servers).toEqual([{ url: t.url }])
  // A name invented by zod depends on the endpoints before it, so it would change the types of every client.
  expect(Object.keys(document.components.schemas).filter((name) => !/^[A-Z]\w+$/.test(name))).toEqual([])
})

test('a client generated from the API document compiles in strict mode, lists users, creates an organization and reads errors by code', {
  timeout: 180_000,
}, async () => {
  const admin = await signedInAs(t, 'admin', 'root@example.com')
  await t.signedIn('ann@example.com')
  const { key } = await admin.api.adminApiKeys.adminCreateApiKey({
    body: {
      name: 'Generated client',
      permissions: [
        'users:read',
        'all-organizations:read',
        'all-organizations:create',
        'all-organizations:update',
        'events:read',
      ],
    },
  })

  symlinkSync(modules, join(dir, 'node_modules'))
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
  copyFileSync(join(import.meta.dirname, 'openapi-client/program.ts'), join(dir, 'program.ts'))
  const compilerOptions = {
    ...{ strict: true, target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom'], types: ['node'], outDir: 'out' },
    ...{ rewriteRelativeImportExtensions: true, skipLibCheck: false },
  }
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await node([join(modules, 'oazapfts/dist/cli.js'), `${t.url}/openapi.json`, 'api.ts'])
  await node([join(modules, 'typescript/bin/tsc'), '-p', '.'])

  const said = await node(['out/program.js'], { GATEHOUSE_URL: t.url, GATEHOUSE_API_KEY: key })
  expect(JSON.parse(said)).toEqual({
    emails: ['ann@example.com', 'root@example.com'],
    metadata: { plan: { seats: [1, 2] } },
    renamed: [200, 'none'],
    late: [412, 'PRECONDITION_FAILED'],
    missing: [404, 'NOT_FOUND'],
    twice: [400, 'ORGANIZATION_ALREADY_EXISTS'],
    exported: [200, 2],
  })
})
