import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { RuleName } from './support/architecture.ts'
import { checkFile, checkMigrations, format, ruleNames } from './support/architecture.ts'
import { checkTables } from './support/architecture-tables.ts'
import { checkFloors, floorsOf } from './support/floors.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')

const paths = globSync(['{src,migrations,bin,admin-ui}/**/*.{ts,tsx}'], {
  cwd: root,
  exclude: ['**/dist/**', '**/node_modules/**'],
})
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
const files = new Map(paths.map((path) => [path, read(path)]))
const packages = new Set(Object.keys(JSON.parse(read('package.json')).dependencies))

describe('the source obeys the architecture', () => {
  test('the architecture check finds the source files', () => {
    for (const path of [
      'src/main.ts',
      'src/composition.ts',
      'src/core/db/database.ts',
      'src/http/server.ts',
      'migrations/index.ts',
    ]) {
      expect(paths).toContain(path)
    }
  })

  test('imports, reserved calls, and the sizes of files and functions obey the architecture', () => {
    expect(paths.flatMap((path) => checkFile(path, files.get(path) ?? '', packages)).map(format)).toEqual([])
  })

  test('every table is declared once by the feature that owns it, and other features only read the views that the owner exports', () => {
    expect(checkTables(files).map(format)).toEqual([])
  })

  test('no folder of src imports a folder that is built later', () => {
    expect(checkFloors(files, floorsOf(read('src/composition.ts')))).toEqual([])
  })

  test('every migration is listed in order and can be undone', () => {
    expect(checkMigrations(files).map(format)).toEqual([])
  })
})

describe('documents of the repository', () => {
  const documents = globSync(['*.md', 'bench/*.md', 'docs/**/*.md'], { cwd: root }).sort()
  const records = readdirSync(join(root, 'docs/design/decisions')).filter((name) => name !== 'README.md')

  test('every file that a document names or links to exists', () => {
    const named = (path: string): readonly string[] =>
      [
        ...read(path).matchAll(/(?<![\w./-])(?:src|test|docs|bench|bin|config|migrations|examples|admin-ui)\/[\w./*-]*[\w/*]/g),
      ].map(([name]) => name)
    const linked = (path: string): readonly string[] =>
      [...read(path).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, target = '']) => join(dirname(path), target))
    const missing = documents.flatMap((path) =>
      [...named(path), ...linked(path)]
        .filter((name) => globSync(name, { cwd: root }).length === 0)
        .map((name) => `${path}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('the index of decisions lists every record once, with its date and status', () => {
    const listed = [
      ...read('docs/design/decisions/README.md').matchAll(
        /^\| \[(\d{4})\]\((\1-[^)]+)\) \| [^|]+ \| \d{4}-\d\d-\d\d \| (?:accepted|superseded by \d{4})/gm,
      ),
    ]
    expect(listed.map(([, , name]) => name)).toEqual(records.sort())
    expect(new Set(listed.map(([, number]) => number)).size).toBe(listed.length)
  })

  test('a decision record names only records that exist', () => {
    const numbers = new Set(records.map((name) => name.slice(0, 4)))
    const named = records.flatMap((name) =>
      [...read(`docs/design/decisions/${name}`).matchAll(/\b0[0-2]\d\d\b/g)].map(([number]) => `${name}: ${number}`),
    )
    expect(named.filter((entry) => !numbers.has(entry.slice(-4)))).toEqual([])
  })
})

describe('the architecture check itself', () => {
  const lines = (count: number) => '\n  call()'.repeat(count).concat('\n')
  const long = Array.from({ length: 401 }, (_, index) => `export const line${index} = ${index}`).join('\n')

  const refused: readonly (readonly [rule: RuleName, path: string, source: string])[] = [
    ['syntax', 'src/users/rules.ts', 'export const = 1'],
    ['place', 'src/helpers.ts', 'export const one = 1'],
    ['place', 'src/users/a/b/service.ts', 'export const one = 1'],
    ['length', 'src/users/service.ts', long],
    ['function length', 'src/users/service.ts', `export const createUsers = () => {${lines(149)}}`],
    ['function length', 'src/users/service.ts', `export function createUsers() {${lines(149)}}`],
    ['function length', 'src/users/service.ts', `export const users = { create() {${lines(149)}} }`],
    ['length', 'admin-ui/console/list.tsx', long],

    // Imports against the order of folders.
    ['import', 'src/core/jobs.ts', "import type { Route } from '../http/handlers.ts'"],
    ['import', 'src/core/jobs.ts', "import type { Users } from '../users/index.ts'"],
    ['import', 'src/http/server.ts', "import type { Users } from '../users/index.ts'"],
    ['import', 'src/main.ts', "import { usersFeature } from './users/index.ts'"],
    ['import', 'bin/docs.ts', "import { userErrors } from '../src/users/errors.ts'"],
    ['import', 'src/composition.ts', "import { createUsers } from './users/service.ts'"],

    // Imports inside a feature.
    ['import', 'src/users/routes.ts', "import { createUsers } from './service.ts'"],
    ['import', 'src/users/routes.ts', "import * as store from './store.ts'"],
    ['import', 'src/users/cli.ts', "import { createUsers } from './service.ts'"],
    ['import', 'src/users/jobs.ts', "import * as store from './store.ts'"],
    ['import', 'src/users/service.ts', "import { bind } from '../http/handlers.ts'"],
    ['import', 'src/users/service.ts', "import { userContract } from './contract.ts'"],
    ['import', 'src/users/service.ts', "import { userContract, userErrors } from './contract.ts'"],
    ['import', 'src/users/names.ts', "import { userRoutes } from './routes.ts'"],
    ['import', 'src/users/store.ts', "import type { Users } from './service.ts'"],
    ['import', 'src/users/rules.ts', "import { systemClock } from '../core/clock.ts'"],
    ['import', 'src/users/rules.ts', "import * as store from './store.ts'"],
    ['import', 'src/billing/events/parse.ts', "import * as store from '../intake/store.ts'"],
    ['import', 'src/users/mails.ts', "import type { Users } from './service.ts'"],
    ['import', 'src/organizations/members/routes.ts', "import { insert } from '../store.ts'"],

    ['place', 'src/authentication/methods/password/a/b/service.ts', 'export const one = 1'],
    ['import', 'src/access/can.ts', "import type { Users } from '../identity/users/index.ts'"],

    // Imports between features.
    ['import', 'src/identity/users/service.ts', "import * as store from '../deletion/store.ts'"],
    ['import', 'src/authentication/methods/password/service.ts', "import { sessionsFeature } from '../../sessions/index.ts'"],
    ['import', 'src/billing/service.ts', "import { usersFeature } from '../users/index.ts'"],
    ['import', 'src/billing/service.ts', "import { type User } from '../users/index.ts'"],
    ['import', 'src/billing/service.ts', "import { userErrors } from '../users/contract.ts'"],
    ['import', 'src/billing/service.ts', "import { userContract, userEvents } from '../users/contract.ts'"],
    ['import', 'src/billing/service.ts', "import type { Row } from '../users/store.ts'"],
    ['import', 'src/billing/service.ts', "type Row = import('../users/store.ts').Row"],
    ['import', 'src/billing/service.ts', "export const load = () => import('../users/index.ts')"],
    ['import', 'src/billing/index.ts', "export { createUsers } from '../users/service.ts'"],

    // Imports of the pages.
    ['import', 'src/users/contract.ts', "import type { User } from './service.ts'"],
    ['import', 'src/users/errors.ts', "import { setTimeout } from 'node:timers/promises'"],
    ['import', 'src/users/events.ts', "import type { User } from './service.ts'"],
    ['import', 'src/users/events.ts', "import { sha256 } from '../core/crypto.ts'"],
    ['import', 'src/users/store.ts', "import { userEvents } from './events.ts'"],
    ['import', 'src/users/service.ts', "import { users } from './table.ts'"],
    ['import', 'src/billing/service.ts', "import { users } from '../users/table.ts'"],
    ['import', 'src/users/table.ts', "import * as store from './store.ts'"],
    ['import', 'src/core/wire.ts', "import type { Clock } from './clock.ts'"],
    ['import', 'src/http/contract.ts', "import type { Route } from './handlers.ts'"],
    ['import', 'admin-ui/console/list.tsx', "import type { Users } from '../../src/users/index.ts'"],
    ['import', 'admin-ui/console/list.tsx', "import { join } from 'node:path'"],
    ['import', 'admin-ui/console/list.tsx', "import { z } from 'zod'"],
    ['import', 'admin-ui/console/list.tsx', "import { createApi } from '../../src/http/contract.ts'"],
    ['import', 'admin-ui/console/list.tsx', "import { nameInput } from '../../src/core/wire.ts'"],

    ['import', 'admin-ui/console/list.tsx', "import { Panel } from '../hosted/account/section.tsx'"],
    ['import', 'admin-ui/console/list.tsx', "import css from '../hosted/more.css?inline'"],
    ['import', 'admin-ui/hosted/account/page.tsx', "export { Facts } from '../../console/shared/facts.tsx'"],
    ['import', 'admin-ui/shared/panels.tsx', "import { Facts } from '../console/shared/facts.tsx'"],
    ['import', 'admin-ui/shared/panels.tsx', "import type { Outcome } from '../hosted/account/outcome.tsx'"],

    // Libraries that only one module may import.
    ['import', 'src/users/routes.ts', "import type { Request } from 'express'"],
    ['import', 'src/users/routes.ts', "import helmet from 'helmet'"],
    ['import', 'src/users/service.ts', "import { knex } from 'knex'"],
    ['import', 'src/http/server.ts', "import { knex } from 'knex'"],
    ['import', 'src/billing/service.ts', "import argon2 from 'argon2'"],
    ['import', 'src/http/server.ts', "import { pino } from 'pino'"],
    ['import', 'src/billing/service.ts', "import * as jose from 'oidc-provider/lib/x.js'"],
    ['import', 'src/users/service.ts', "import { Command } from 'commander'"],
    ['import', 'src/users/service.ts', "import { createTransport } from 'nodemailer'"],
    ['import', 'src/images/service.ts', "import sharp from 'sharp'"],
    ['import', 'src/users/service.ts', "import { createHash } from 'node:crypto'"],
    ['import', 'src/users/service.ts', "import { z } from 'left-pad'"],
    ['import', 'src/users/service.ts', "import { test } from 'vitest'"],
    ['import', 'migrations/202601010000_users.ts', "import { table } from '../src/core/db/table.ts'"],

    // Functions that only one module may call.
    ['environment', 'src/users/service.ts', "export const home = process.env['HOME']"],
    ['environment', 'src/users/service.ts', "import { env } from 'node:process'"],
    ['time', 'src/users/service.ts', 'export const now = () => Date.now()'],
    ['time', 'src/users/service.ts', 'export const now = () => new Date()'],
    ['randomness', 'src/users/service.ts', 'export const dice = () => Math.random()'],
    ['randomness', 'src/users/service.ts', 'export const id = () => crypto.randomUUID()'],
    ['randomness', 'src/core/crypto.ts', "import { randomBytes } from 'node:crypto'"],
    ['randomness', 'src/core/crypto.ts', "import * as crypto from 'node:crypto'"],
    ['outbound', 'src/users/service.ts', "export const get = () => fetch('https://example.com')"],
    ['sql', 'src/users/service.ts', "export const read = (db: Db) => db.raw('1')"],
    ['sql', 'src/users/service.ts', "export const text = 'delete from user'"],
    ['sql', 'src/users/service.ts', 'export const text = `SELECT id FROM user`'],
    [
      'session start',
      'src/setup/service.ts',
      "import type { Sessions, SessionStarter } from '../authentication/sessions/index.ts'",
    ],
    ['response', 'src/users/routes.ts', "import type { ServerResponse } from 'node:http'"],
    ['response', 'src/users/routes.ts', 'export const send = (res: Out) => res.writeHead(204)'],
    ['response', 'src/oidc/consents/routes.ts', "export const send = (res: Out) => res.setHeader('x', 'y')"],
    ['console', 'src/users/service.ts', "export const say = () => console.log('x')"],
    ['default export', 'src/users/service.ts', 'export default 1'],
    ['default export', 'admin-ui/console/list.tsx', 'const List = () => <p />; export { List as default }'],
    ['barrel', 'src/users/index.ts', "export * from './service.ts'"],
    ['module state', 'src/users/service.ts', 'let count = 0'],
    ['module state', 'src/users/service.ts', 'const seen = new Map<string, string>()'],
    ['any', 'src/users/service.ts', 'export const x = (y: any) => y'],
    ['cast', 'src/users/service.ts', 'export const read = (row: Row) => row.payload as unknown as Stored'],
    ['cast', 'src/users/service.ts', 'export const read = (row: Row) => decode(row as never)'],
    ['non-null', 'admin-ui/console/list.tsx', 'export const first = (list: string[]) => list[0]!.length'],
  ]

  const title = (source: string) => source.split('\n', 1)[0]

  for (const [rule, path, source] of refused) {
    test(`the architecture check refuses (${rule}) in ${path}: ${title(source)}`, () => {
      const violations = checkFile(path, source, packages)
      expect(violations.map(({ rule: found, line }) => [found, line])).toEqual([[rule, 1]])
    })
  }

  const allowed: readonly (readonly [path: string, source: string])[] = [
    ['src/core/clock.ts', 'export const now = () => [new Date(), Date.now()]'],
    ['src/core/config.ts', "export const home = process.env['HOME']"],
    ['src/core/random.ts', "import { randomBytes } from 'node:crypto'\nexport const bytes = randomBytes"],
    ['src/core/fetch.ts', 'export const get = (url: string) => fetch(url)'],
    ['src/users/service.ts', 'export const parse = (text: string) => new Date(text)'],
    ['src/users/service.ts', 'export const get = (fetch: Fetch) => fetch()'],
    ['src/users/service.ts', "import type { Mail } from '../mail/index.ts'\nimport * as store from './store.ts'"],
    [
      'src/users/service.ts',
      "// process.env, Date.now() and console.log('any') are words here\nexport const text = 'Select a file from the list'",
    ],
    [
      'src/authentication/methods/password/service.ts',
      "import type { Sessions } from '../../sessions/index.ts'\nimport type { Principal } from '../../../access/principal.ts'",
    ],
    ['src/users/index.ts', "import { bind } from '../http/handlers.ts'\nimport { userContract } from './contract.ts'"],
    ['src/users/service.ts', "import { type CreateUser, userErrors, userEvents } from './contract.ts'"],
    ['src/billing/index.ts', "import { userEvents } from '../users/contract.ts'"],
    ['src/users/store.ts', "import type { Knex } from 'knex'\nimport { table } from '../core/table.ts'"],
    ['src/users/routes.ts', "import { bind } from '../http/handlers.ts'\nimport { userContract } from './contract.ts'"],
    [
      'src/authentication/sessions/contract.ts',
      "import { z } from 'zod'\nimport { contract } from '../http/contract.ts'\nimport { User } from '../users/contract.ts'",
    ],
    ['src/organizations/members/service.ts', "import * as store from './store.ts'\nimport { isOwner } from '../rules.ts'"],
    ['src/organizations/members/store.ts', "import { userNames } from '../../identity/users/table.ts'"],
    ['src/users/table.ts', "import { view } from '../core/db/table.ts'\nimport type { Fields } from './rules.ts'"],
    ['src/organizations/members/service/add.ts', "import * as store from '../store.ts'"],
    ['src/oidc/store.ts', "import type { Adapter } from 'oidc-provider'\nimport { table } from '../core/table.ts'"],
    ['src/billing/state/store.ts', "import { sortableTime } from '../events/shared.ts'"],
    ['src/composition.ts', "import { usersFeature } from './users/index.ts'\nimport { userErrors } from './users/errors.ts'"],
    ['admin-ui/shared/api.ts', "import { userContract } from '../../src/users/contract.ts'\nimport { useState } from 'react'"],
    [
      'admin-ui/console/list.tsx',
      "import { ApiError } from '../../src/http/client.ts'\nimport type { WireApi } from '../../src/http/contract.ts'",
    ],
    ['admin-ui/vite.config.ts', "import { join } from 'node:path'\nexport default { root: join('a') }"],
    ['admin-ui/locales/parameters.ts', long],
    ['src/users/service.ts', `export const createUsers = () => {${lines(148)}}`],
    ['admin-ui/console/list.tsx', `export const List = () => {${lines(149)}}`],
  ]

  for (const [path, source] of allowed) {
    test(`the architecture check allows in ${path}: ${title(source)}`, () => {
      expect(checkFile(path, source, packages).map(format)).toEqual([])
    })
  }

  describe('the order of folders', () => {
    const composition = [
      "import { usersFeature } from './identity/users/index.ts'",
      "import { type Sessions, sessionsFeature } from './sessions/index.ts'",
      'export const gatehouse = composeFeatures([usersFeature, sessionsFeature])',
    ].join('\n')
    const floors = floorsOf(composition)
    const check = (path: string, source: string) => checkFloors(new Map([[path, source]]), floors)

    test('the order of folders is the ground first, then the features in the order of their list', () => {
      expect(floors).toEqual(['src/core', 'src/access', 'src/http', 'src/identity/users', 'src/sessions'])
    })

    for (const source of [
      "import { sessionEvents } from '../../sessions/events.ts'",
      "export { sessionEvents } from '../../sessions/events.ts'",
      "export const load = () => import('../../sessions/index.ts')",
      "import type { Sessions } from '../../sessions/index.ts'",
      "type Sessions = import('../../sessions/index.ts').Sessions",
    ])
      test(`an import of a folder that is built later is refused: ${source}`, () => {
        expect(check('src/identity/users/service.ts', source)).toHaveLength(1)
      })

    test('the ground cannot import a feature', () => {
      expect(check('src/access/can.ts', "import { userEvents } from '../identity/users/events.ts'")).toHaveLength(1)
      expect(check('src/core/jobs.ts', "import { bind } from '../http/handlers.ts'")).toHaveLength(1)
    })

    test('a feature may import an earlier feature, and a command may import types of a later feature', () => {
      expect(check('src/sessions/index.ts', "import { userEvents } from '../identity/users/events.ts'")).toEqual([])
      expect(check('src/identity/users/cli.ts', "import type { Sessions } from '../../sessions/index.ts'")).toEqual([])
      expect(check('src/composition.ts', composition)).toEqual([])
    })
  })

  test('a violation of the architecture names file, line and rule', () => {
    const [violation] = checkFile('src/users/service.ts', '\n\nexport const dice = () => Math.random()', packages)
    expect(violation && format(violation)).toBe(
      'src/users/service.ts:3 [randomness] ask random; only src/core/random.ts makes randomness',
    )
  })

  test('an unlisted, unordered, misnamed or irreversible migration is refused', () => {
    const whole = 'export const up = 1\nexport const down = 2'
    const check = (entries: Readonly<Record<string, string>>) =>
      checkMigrations(new Map(Object.entries(entries))).map(({ path, message }) => `${path} ${message}`)
    const [first, second] = ['migrations/202601010000_a.ts', 'migrations/202601020000_b.ts']
    const list = "import * as a from './202601010000_a.ts'\nimport * as b from './202601020000_b.ts'"

    expect(check({ 'migrations/index.ts': list, [first]: whole, [second]: whole })).toEqual([])
    expect(check({ 'migrations/index.ts': '', [first]: whole })).toEqual([`${first} is not listed in migrations/index.ts`])
    expect(check({ 'migrations/index.ts': list, [first]: whole, [second]: 'export const up = 1' })).toEqual([
      `${second} exports 'up' and 'down'`,
    ])
    expect(check({ 'migrations/index.ts': list, 'migrations/users.ts': whole })).toEqual([
      'migrations/users.ts is named YYYYMMDDhhmm_what_it_does.ts',
    ])
    expect(check({ 'migrations/index.ts': list.split('\n').reverse().join('\n') })).toEqual([
      'migrations/index.ts lists the migrations in the order of their numbers',
    ])
  })

  test("a second declaration of a table, and a write through another feature's view, are refused", () => {
    const check = (entries: Readonly<Record<string, string>>) =>
      checkTables(new Map(Object.entries(entries))).map(({ path, line, message }) => `${path}:${line} ${message}`)
    const owner = { 'src/users/table.ts': "export const users = view('user', { id: text })\nexport const ids = users.pick('id')" }
    const own = "import { users as all } from './table.ts'\nexport const users = table(all)\nconst ids = all.pick('id')"
    const other = (use: string) => ({ 'src/teams/store.ts': `import { users } from '../users/table.ts'\n${use}` })

    expect(check({ ...owner, 'src/users/store.ts': own, ...other("const read = users.columnsOf('u', 'u_')") })).toEqual([])
    expect(check({ ...owner, ...other("const users = table('user', { id: text })") })).toEqual([
      'src/teams/store.ts:2 the table user has an owner already: src/users/table.ts:1; take a view of it (`pick`)',
    ])
    expect(check({ ...owner, ...other('const mine = table(users)') })).toEqual([
      'src/teams/store.ts:2 only the owner of a table changes it',
    ])
    expect(check({ ...owner, ...other("const ids = users.pick('id')") })).toEqual([
      'src/teams/store.ts:2 the owner of a table exports the view that you read',
    ])
  })

  test('every rule of the architecture has a source that violates it', () => {
    expect(new Set<RuleName>([...refused.map(([rule]) => rule), 'table', 'migration'])).toEqual(new Set(ruleNames))
  })
})
