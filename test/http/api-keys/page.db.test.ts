/**
 * The page about API keys describes what no key can do, and is compared with the code. The use of keys is tested in
 * `test/http/access/endpoints.db.test.ts`.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isKeyPermission } from '../../../src/access/key-permissions.ts'
import { type Permission, permissions } from '../../../src/access/permissions.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const page = readFileSync('docs/how-to/api-keys.md', 'utf8')
const part = (from: string, to: string) => page.slice(page.indexOf(from), page.indexOf(to))
const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
const allCalls = () =>
  t.app.routes.flatMap(({ endpoint: { method, path, access } }) =>
    typeof access === 'string' ? [] : [{ call: `${method} ${path}`, ...access }],
  )

test('docs/how-to/api-keys.md names exactly the permissions that no API key can have', () => {
  const named = codes(part('No key has these permissions', '`users:set-password` also covers'))
  expect(named.sort()).toEqual(
    Object.keys(permissions)
      .filter((name) => !isKeyPermission(name))
      .sort(),
  )
})

test('docs/how-to/api-keys.md names exactly the calls that no API key can make although a key can have the permission', () => {
  const rows = part('| Permission | Calls that no key makes |', '## Use it').split('\n').slice(2)
  const named = rows.flatMap((row) => codes(row.split('|')[2] ?? '')).sort()
  const closed = allCalls().filter(
    ({ permission, session, fresh }) => isKeyPermission(permission) && (session === true || fresh === true),
  )
  expect(named).toEqual(closed.map(({ call }) => call).sort())
  for (const row of rows) {
    const [asked = '', calls = ''] = row.split('|').slice(1)
    for (const call of codes(calls)) expect(codes(asked), call).toContain(closed.find((one) => one.call === call)?.permission)
  }
})

test('docs/how-to/api-keys.md names every permission by which an API key changes people, their sessions, consents and keys', () => {
  const named = codes(part('| Permission | With it a key |', 'A key cannot change a user').replaceAll(/\|[^|]*\|$/gm, ''))
  const areas = /^(users|user-sessions|grants|api-keys?|memberships):/
  const changing = allCalls().flatMap(({ call, permission, session, fresh }): Permission[] =>
    areas.test(permission) && isKeyPermission(permission) && session !== true && fresh !== true && !/^GET|list-/.test(call)
      ? [permission]
      : [],
  )
  expect(named.sort()).toEqual([...new Set(changing)].sort())
})
