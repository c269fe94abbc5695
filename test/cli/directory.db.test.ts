import { afterAll, beforeAll, expect, test } from 'vitest'
import { password } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
const run = (args: readonly string[], input?: string) => runCommand(args, env, input)

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  for (const [email, name, role] of [
    ['ann@example.com', 'Ann Lee', 'admin'],
    ['bob@example.com', 'Bob Lee', 'user'],
  ] as const)
    await run(['create-user', '--email', email, '--name', name, '--role', role, '--password-stdin'], `${password}\n`)
  await run(['create-org', '--name', 'Acme', '--slug', 'acme', '--owner', 'ann@example.com', '--unverified'])
  await run(['add-member', '--org', 'acme', '--user', 'bob@example.com', '--unverified'])
})
afterAll(() => database.drop())

test('list-users shows users page by page and can filter them', slow, async () => {
  const names = async (...flags: readonly string[]) =>
    ((await run(['list-users', '--json', ...flags])).json() as { name: string }[]).map(({ name }) => name)
  expect(await names('--sort', 'name', '--order', 'asc')).toEqual(['Ann Lee', 'Bob Lee'])
  expect(await names('--search', 'bob')).toEqual(['Bob Lee'])
  expect(await names('--role', 'admin')).toEqual(['Ann Lee'])
  expect(await names('--banned', 'true')).toEqual([])
  expect(await names('--verified', 'true')).toEqual([])
  expect(await names('--created-since', '2100-01-01T00:00:00Z')).toEqual([])
  expect(await names('--created-until', '2100-01-01T00:00:00Z', '--limit', '1')).toHaveLength(1)
  expect((await run(['list-users', '--sort', 'shoe'])).exitCode).toBe(2)
  expect((await run(['list-users', '--after', 'nowhere'])).exitCode).toBe(2)
})

test('get-user shows a user by email address or id, and refuses an unknown user', slow, async () => {
  const shown = await run(['get-user', '--user', 'ann@example.com', '--json'])
  expect(shown.json()).toMatchObject({ email: 'ann@example.com', role: 'admin', banned: false })
  const { id } = shown.json() as { id: string }
  expect((await run(['get-user', '--user', id, '--json'])).json()).toEqual(shown.json())
  expect((await run(['get-user', '--user', 'nobody@example.com'])).exitCode).toBe(3)
})

test('list-orgs shows organizations, oldest first, finds them by words, and continues after a page', slow, async () => {
  await run(['create-org', '--name', 'Beta Works', '--slug', 'beta'])
  const slugs = async (...flags: readonly string[]) =>
    ((await run(['list-orgs', '--json', ...flags])).json() as { slug: string }[]).map(({ slug }) => slug)
  expect(await slugs()).toEqual(['acme', 'beta'])
  expect(await slugs('--search', 'WOR')).toEqual(['beta'])
  expect(await slugs('--search', 'orks')).toEqual(['beta'])
  const first = await run(['list-orgs', '--json', '--limit', '1'])
  const next = /--after (\w+)/.exec(first.stderr)?.[1] ?? ''
  expect([first.json(), await slugs('--after', next)]).toMatchObject([[{ slug: 'acme', members: 2 }], ['beta']])
  expect((await run(['list-orgs', '--after', 'nowhere'])).exitCode).toBe(2)
  expect((await run(['delete-org', '--org', 'beta', '--yes'])).exitCode).toBe(0)
})

test(
  'create-org and add-member refuse a person with an unverified email address, and say when the account was created',
  slow,
  async () => {
    for (const args of [
      ['create-org', '--name', 'Theirs', '--slug', 'theirs', '--owner', 'ann@example.com'],
      ['add-member', '--org', 'acme', '--user', 'ann@example.com'],
    ]) {
      const { exitCode, stderr } = await run(args)
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringMatching(/Address is not verified: ann@example\.com, of an account created at 2/),
      ])
    }
  },
)

test('get-org shows an organization, and list-members its members', slow, async () => {
  expect((await run(['get-org', '--org', 'acme', '--json'])).json()).toMatchObject({ slug: 'acme', memberCount: 2 })
  expect((await run(['get-org', '--org', 'none'])).exitCode).toBe(3)
  const listed = await run(['list-members', '--org', 'acme', '--order', 'asc', '--json'])
  expect(listed.json()).toMatchObject([
    { name: 'Ann Lee', role: 'owner' },
    { name: 'Bob Lee', role: 'member' },
  ])
  const first = await run(['list-members', '--org', 'acme', '--role', 'owner', '--limit', '1', '--json'])
  expect(first.json()).toMatchObject([{ email: 'ann@example.com' }])
  expect((await run(['list-members', '--org', 'none'])).exitCode).toBe(3)
})

test(
  'list-invitations shows the invitations of all organizations with filters, and the links of pending invitations',
  slow,
  async () => {
    await run(['create-org', '--name', 'Gamma', '--slug', 'gamma'])
    for (const org of ['acme', 'gamma']) await run(['invite-member', '--org', org, '--email', 'ben@example.com'])
    const listed = async (...flags: readonly string[]) =>
      (await run(['list-invitations', '--json', ...flags])).json() as { organizationSlug: string; id: string; url: string }[]
    const found = await listed('--email', 'Ben@example.com', '--status', 'pending')
    expect(found.map(({ organizationSlug }) => organizationSlug).sort()).toEqual(['acme', 'gamma'])
    for (const { id, url } of found) expect(url.endsWith(`/invitation/${id}`)).toBe(true)
    expect(await listed('--org', 'acme')).toHaveLength(1)
    expect(await listed('--org', 'acme', '--status', 'expired')).toEqual([])
    expect(await listed('--invited-by', 'ann@example.com')).toEqual([])
    expect((await run(['list-invitations', '--status', 'lost'])).exitCode).toBe(2)
    expect((await run(['list-invitations', '--org', 'nowhere'])).exitCode).toBe(3)
  },
)
