import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { password } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, type Served, serveHere, slow, spawnCommand } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Served

const run = (args: readonly string[], input?: string) => runCommand(args, env, input)
const refusal = (stderr: string) => JSON.parse(stderr) as unknown
const createUser = (email: string, ...more: readonly string[]) => [
  ...['create-user', '--email', email, '--name', 'Ann Example', '--password-stdin', ...more],
]

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  // Every command below runs while this daemon runs.
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

describe('create-user', slow, () => {
  test('create-user creates a user who can sign in at once, without a restart of the daemon', async () => {
    const done = await spawnCommand(createUser('Ann@Example.com', '--json'), env, `${password}\n`)
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    expect(done.json()).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      email: 'ann@example.com',
      name: 'Ann Example',
      role: 'user',
      emailVerified: false,
      createdAt: expect.stringMatching(/Z$/),
    })
    const answer = await daemon.client().api.accounts.signInEmail({ body: { email: 'ann@example.com', password } })
    expect(answer).toMatchObject({ user: { email: 'ann@example.com' } })
  })

  test('create-user prints names and values, and --verified marks the email address as verified', async () => {
    const done = await run(createUser('vera@example.com', '--verified'), password)
    expect(done.stdout).toMatch(/^email +vera@example\.com$/m)
    expect(done.stdout).toMatch(/^emailVerified +true$/m)
    expect(done.stdout).not.toContain(password)
  })

  test('create-user writes the extra fields of the configuration, and refuses unknown names and values', async () => {
    const config = join(database.dataDir, 'fields.yaml')
    const fields = { plan: { type: 'string', values: ['free', 'gold'], writableBy: 'operator' }, seats: { type: 'number' } }
    writeFileSync(config, JSON.stringify({ users: { fields: { ...fields, beta: { type: 'boolean' } } } }))
    const create = (email: string, ...assigned: readonly string[]) => {
      const flags = assigned.flatMap((one) => ['--field', one])
      return runCommand(createUser(email, '--json', ...flags), { ...env, GATEHOUSE_CONFIG: config }, password)
    }
    const done = await create('gold@example.com', 'plan=gold', 'seats=2.5')
    expect(done.json()).toMatchObject({ email: 'gold@example.com', plan: 'gold', seats: 2.5, beta: null })
    for (const [assigned, path] of [
      ['plan=silver', 'plan'],
      ['seats=many', 'seats'],
      ['beta=1', 'beta'],
      ['role=admin', 'role'],
      ['seats', 'seats'],
    ] as const) {
      const refused = await create('silver@example.com', assigned)
      expect([refused.exitCode, refusal(refused.stderr)]).toMatchObject([2, { code: 'USAGE', issues: [{ path }] }])
    }
  })

  test('create-user sets a user name, get-user finds the user by it, and create-user refuses a user name while user names are off', async () => {
    const named = { ...env, GATEHOUSE_ACCOUNTS_USER_NAMES_MODE: 'optional' }
    const done = await runCommand(createUser('nina@example.com', '--username', 'Nina.N', '--json'), named, password)
    expect(done.json()).toMatchObject({ email: 'nina@example.com', username: 'nina.n', displayUsername: 'Nina.N' })
    const found = await runCommand(['get-user', '--user', 'NINA.N', '--json'], named)
    expect(found.json()).toMatchObject({ email: 'nina@example.com' })
    const refused = await run(createUser('nora@example.com', '--username', 'nora', '--json'), password)
    expect([refused.exitCode, refusal(refused.stderr)]).toMatchObject([3, { code: 'USER_NAMES_ARE_NOT_ENABLED' }])
  })

  test('create-user reads the password from the first line of standard input, and refuses an empty line', async () => {
    expect((await run(createUser('lines@example.com'), `${password}\r\nsecond line\n`)).exitCode).toBe(0)
    await daemon.client().api.accounts.signInEmail({ body: { email: 'lines@example.com', password } })
    expect(await run(createUser('none@example.com'), '')).toMatchObject({ exitCode: 2, stdout: '' })
  })

  test('create-user has no password argument, and does not wait for input without a terminal', async () => {
    expect((await run([...createUser('x@example.com'), '--password', 'geheim-geheim'])).exitCode).toBe(2)
    const asked = await run(['create-user', '--email', 'x@example.com', '--name', 'X'])
    expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--password-stdin') })
  })

  test('create-user --send-link mails a user without a password a link to set a password and sign in', async () => {
    const create = ['create-user', '--email', 'linus@example.com', '--name', 'Linus', '--json']
    expect((await run([...create, '--send-link', '--password-stdin'], password)).exitCode).toBe(2)
    expect((await run([...create, '--send-link'])).json()).toMatchObject({ email: 'linus@example.com', emailVerified: false })
    const mail = await vi.waitFor(async () => {
      const found = readdirSync(join(database.dataDir, 'outbox')).map((name) =>
        readFileSync(join(database.dataDir, 'outbox', name), 'utf8'),
      )
      const sent = found.find((one) => one.includes('linus@example.com'))
      expect(sent).toBeDefined()
      return sent?.replace(/=\r?\n/g, '').replaceAll('=3D', '=') ?? ''
    }, 20_000)
    const [, token = ''] = /reset-password\/(\w+)/.exec(mail) ?? []
    const answer = await daemon.client().post('/reset-password', { token, newPassword: password })
    expect(answer.status, mail).toBe(200)
    const signedIn = await daemon.client().api.accounts.signInEmail({ body: { email: 'linus@example.com', password } })
    expect(signedIn).toMatchObject({ user: { email: 'linus@example.com', emailVerified: true } })
  })

  test.each([
    ['USER_ALREADY_EXISTS', 'VERA2@example.com', [], password],
    ['PASSWORD_TOO_SHORT', 'short@example.com', [], 'seven77'],
    ['PASSWORD_TOO_LONG', 'long@example.com', [], 'x'.repeat(129)],
    ['PASSWORD_TOO_COMMON', 'common@example.com', ['--role', 'admin'], 'Password123!'],
    ['PASSWORD_TOO_COMMON', 'longaddress@example.com', ['--role', 'admin'], 'longaddress1'],
  ])('create-user refuses a wrong value with %s and exit code 3', async (code, email, flags, secret) => {
    if (code === 'USER_ALREADY_EXISTS') await run(createUser('vera2@example.com'), password)
    const refused = await run(createUser(email, '--json', ...flags), secret)
    expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
    expect(refusal(refused.stderr)).toMatchObject({ code, message: expect.any(String) })
  })
})

describe('create-org', slow, () => {
  test('create-org creates an organization whose owner is named by email address or id', async () => {
    const owner = (await run(createUser('owner@example.com', '--verified', '--json'), password)).json() as { id: string }
    const first = await run(['create-org', '--name', 'Acme', '--slug', 'Acme', '--owner', 'OWNER@example.com', '--json'])
    expect(first.json()).toMatchObject({ name: 'Acme', slug: 'acme', ownerId: owner.id })
    const second = await run(['create-org', '--name', 'Beta', '--slug', 'beta_1', '--owner', owner.id, '--json'])
    expect(second.json()).toMatchObject({ slug: 'beta_1', ownerId: owner.id })
    expect((await run(['create-org', '--name', 'Gamma', '--slug', 'gamma'])).stdout).toMatch(/^slug +gamma$/m)
  })

  test('create-org refuses a taken, reserved or malformed slug, and an unknown owner', async () => {
    const create = async (slug: string, ...more: readonly string[]) => {
      const { exitCode, stdout, stderr } = await run(['create-org', '--name', 'Acme', '--slug', slug, '--json', ...more])
      return [exitCode, stdout, refusal(stderr)]
    }
    await run(['create-org', '--name', 'Taken', '--slug', 'taken'])
    const exists = { code: 'ORGANIZATION_ALREADY_EXISTS', message: 'Organization already exists' }
    expect(await create('TAKEN')).toEqual([3, '', exists])
    const usage = {
      code: 'USAGE',
      message: expect.stringContaining('--slug: '),
      issues: [expect.objectContaining({ path: '--slug' })],
    }
    for (const slug of ['admin', 'a b', 'x'.repeat(65)]) expect(await create(slug)).toEqual([2, '', usage])
    expect(await create('nobody', '--owner', 'nobody@example.com')).toMatchObject([3, '', { code: 'USER_NOT_FOUND' }])
    // The refused command left nothing, so the slug is still free.
    expect((await run(['create-org', '--name', 'Nobody', '--slug', 'nobody'])).exitCode).toBe(0)
  })
})

describe('organizations', slow, () => {
  test('create-org creates the first team with the owner as its member', async () => {
    await run(createUser('teamed@example.com', '--verified'), password)
    const { id } = (
      await run(['create-org', '--name', 'Teamed', '--slug', 'teamed', '--owner', 'teamed@example.com', '--json'])
    ).json() as {
      id: string
    }
    const client = daemon.client()
    await client.api.accounts.signInEmail({ body: { email: 'teamed@example.com', password } })
    const full = await client.api.organizations.getFullOrganization({ query: { organizationId: id } })
    expect(full?.teams).toEqual([expect.objectContaining({ name: 'Teamed', id: full?.members[0]?.teamId })])
  })

  test('list-orgs finds the beginnings of words in name and slug, as many as the limit allows, and says what it searched for', async () => {
    for (const slug of ['find-a', 'find-b', 'find-c']) await run(['create-org', '--name', `Name of ${slug}`, '--slug', slug])
    const slugs = async (...flags: readonly string[]) =>
      ((await run(['list-orgs', '--json', ...flags])).json() as { slug: string }[]).map(({ slug }) => slug)
    const all = ['find-a', 'find-b', 'find-c']
    // Organizations found by the same word have no defined order.
    expect((await slugs('--search', 'FIND-')).sort()).toEqual(all)
    expect(await slugs('--search', 'name of find', '--limit', '2')).toHaveLength(2)
    expect(await slugs('--search', 'f_nd')).toEqual([])
    const [first] = (await run(['list-orgs', '--search', 'find-a', '--json'])).json() as object[]
    expect(first).toEqual({
      ...{ id: expect.stringMatching(/^[A-Za-z0-9]{32}$/), slug: 'find-a', name: 'Name of find-a', members: 0 },
      createdAt: expect.stringMatching(/Z$/),
    })
    expect((await run(['list-orgs', '--search', 'find-a'])).stdout).toMatch(/^id +slug +name +members +createdAt\n\w+ +find-a /)
    expect(await run(['list-orgs', '--limit', 'many'])).toEqual(
      expect.objectContaining({ exitCode: 2, stdout: '', stderr: 'gatehouse: --limit: must be a number (is "many")\n' }),
    )
  })

  test('add-member makes a user a member at once, and refuses with the documented error codes', async () => {
    await run(createUser('joins@example.com', '--verified'), password)
    await run(['create-org', '--name', 'Joined', '--slug', 'joined'])
    const add = (...flags: readonly string[]) =>
      run(['add-member', '--org', 'Joined', '--user', 'JOINS@example.com', '--json', ...flags])
    const codeOf = async (...flags: readonly string[]) => {
      const { exitCode, stderr } = await add(...flags)
      return [exitCode, (refusal(stderr) as { code: string }).code]
    }
    expect(await codeOf('--role', 'boss')).toEqual([3, 'ROLE_NOT_FOUND'])
    expect(await codeOf('--user', 'nobody@example.com')).toEqual([3, 'USER_NOT_FOUND'])
    expect(await codeOf('--org', 'nobody-knows')).toEqual([3, 'ORGANIZATION_NOT_FOUND'])
    expect((await add('--role', 'member,admin')).json()).toEqual({
      ...{ id: expect.any(String), organizationId: expect.any(String), userId: expect.any(String), role: 'member,admin' },
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(await codeOf()).toEqual([3, 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'])
    const client = daemon.client()
    await client.api.accounts.signInEmail({ body: { email: 'joins@example.com', password } })
    expect(await client.api.organizations.listOrganizations()).toEqual([
      expect.objectContaining({ slug: 'joined', role: 'member,admin' }),
    ])
    expect((await run(['add-member', '--org', 'joined'])).exitCode).toBe(2)
  })

  test('create-org, add-member and set-role refuse people without a verified email address, and --unverified allows the first two commands', async () => {
    await run(createUser('unproven@example.com'), password)
    const user = ['--user', 'unproven@example.com']
    const makes = ['create-org', '--name', 'Unproven', '--slug', 'unproven', '--owner', 'unproven@example.com']
    await run(['create-org', '--name', 'Proven', '--slug', 'proven'])
    for (const command of [makes, ['add-member', '--org', 'proven', ...user], ['set-role', ...user, '--role', 'admin']]) {
      const { exitCode, stderr } = await run([...command, '--json'])
      expect([command[0], exitCode, refusal(stderr)]).toEqual([
        command[0],
        3,
        expect.objectContaining({ code: 'ADDRESS_IS_NOT_VERIFIED', message: expect.stringMatching(/20\d\d-\d\d-\d\d/) }),
      ])
      const allowed = await run([...command, '--unverified', '--json'])
      expect([command[0], allowed.exitCode]).toEqual([command[0], command[0] === 'set-role' ? 2 : 0])
    }
  })

  test('delete-org asks for confirmation, and without a terminal requires --yes', async () => {
    await run(['create-org', '--name', 'Doomed', '--slug', 'doomed'])
    const unasked = await run(['delete-org', '--org', 'doomed'], 'doomed\n')
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes') })
    expect((await run(['list-orgs', '--search', 'doomed', '--json'])).json()).toHaveLength(1)
    expect((await run(['delete-org', '--org', 'DOOMED', '--yes', '--json'])).json()).toEqual({
      id: expect.any(String),
      slug: 'doomed',
    })
    const gone = await run(['delete-org', '--org', 'doomed', '--yes', '--json'])
    expect([gone.exitCode, refusal(gone.stderr)]).toEqual([
      3,
      { code: 'ORGANIZATION_NOT_FOUND', message: 'Organization not found' },
    ])
  })
})

describe('invite-member', slow, () => {
  const invite = (...flags: readonly string[]) => run(['invite-member', '--org', 'INVITES', '--json', ...flags])
  const codeOf = async (...flags: readonly string[]) => {
    const { exitCode, stdout, stderr } = await invite(...flags)
    return [exitCode, stdout, (refusal(stderr) as { code: string }).code]
  }

  test('invite-member invites an owner to an organization without an owner, and prints a link without the token of the mail', async () => {
    const { id: organizationId } = (await run(['create-org', '--name', 'Invites', '--slug', 'invites', '--json'])).json() as {
      id: string
    }
    const flags = ['--email', 'First@invites.example', '--role', 'owner', '--team', 'Invites']
    const done = await invite(...flags)
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    const at = expect.stringMatching(/Z$/)
    const { id } = done.json() as { id: string }
    expect(done.json()).toEqual({
      ...{ id, organizationId, email: 'first@invites.example', role: 'owner', status: 'pending' },
      ...{ teamId: expect.stringMatching(/^\w{32}$/), expiresAt: at, createdAt: at },
      // The printed link shows the invitation but verifies no address, because it lacks the mail's token.
      url: expect.stringMatching(new RegExp(`^https?://.*/invitation/${id}$`)),
    })
    expect(done.stdout).not.toContain('token')
    expect(await codeOf(...flags)).toEqual([3, '', 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION'])
    expect((await invite(...flags, '--resend')).json()).toMatchObject({ id })
    const first = daemon.client()
    await first.api.accounts.signUpEmail({ body: { email: 'first@invites.example', name: 'First', password } })
    const { member } = await first.api.invitations.acceptInvitation({ body: { invitationId: id } })
    expect([member.role, member.teamId === null]).toEqual(['owner', false])
    expect(await codeOf('--email', 'FIRST@invites.example')).toEqual([3, '', 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'])
    // The daemon sent the mail, with a link that verifies the address.
    await vi.waitFor(() => expect(daemon.said.stderr + daemon.said.stdout).toMatch(/invitation\/\w{32}\?token=/), 60_000)
  })

  test('invite-member refuses with the documented error codes', async () => {
    expect(await codeOf('--email', 'no address')).toEqual([2, '', 'USAGE'])
    expect(await codeOf('--email', 'x@invites.example', '--role', 'boss')).toEqual([3, '', 'ROLE_NOT_FOUND'])
    expect(await codeOf('--email', 'x@invites.example', '--team', 'nobody')).toEqual([3, '', 'TEAM_NOT_FOUND'])
    expect(await codeOf('--email', 'x@invites.example', '--org', 'nobody-knows')).toEqual([3, '', 'ORGANIZATION_NOT_FOUND'])
    expect((await invite()).exitCode).toBe(2)
  })
})

describe('command line usage', slow, () => {
  test('help and version exit with 0', async () => {
    expect(await run(['--help'])).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('create-user') })
    expect(await run(['create-org', '--help'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('--slug') })
    expect(await spawnCommand(['--version'], env)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
  })

  test.each([
    [[]],
    [['no-such-command']],
    [['create-org', '--slug', 'x']],
    [['migrate', '--no-such-flag']],
    [['migrate', '--status', '--down']],
    [createUser('role@example.com', '--role', 'owner')],
    [createUser('no address')],
    [['register-client', '--name', 'Shop', '--redirect-uri', 'nowhere']],
    [['register-client', '--name', 'Shop', '--redirect-uri', 'https://rp.example/', '--web-origin', 'nowhere']],
    [['list-orgs', '--database-url', 'postgres://ann:geheim@db/gatehouse']],
    [['list-orgs', '--database-url', 'postgres://db/gatehouse?password=geheim']],
  ])('a usage error exits with 2: gatehouse %j', async (args) => {
    const wrong = await run(args)
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' })
    expect(wrong.stderr).not.toBe('')
    expect(wrong.stderr).not.toContain('geheim')
  })

  test('an error is printed as JSON with --json', async () => {
    const wrong = await run(['no-such-command', '--json'])
    expect(refusal(wrong.stderr)).toEqual({ code: 'USAGE', message: "unknown command 'no-such-command'" })
  })
})

test('list-mails prints a table, or JSON with --json', slow, async () => {
  const mails = async () => (await run(['list-mails', '--json'])).json() as { to: string; kind: string; state: string }[]
  const sent = { to: 'first@invites.example', kind: 'invitation', state: 'sent' }
  await vi.waitFor(async () => expect((await mails()).find(({ kind }) => kind === 'invitation')).toMatchObject(sent), 60_000)
  expect(await run(['list-mails'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('first@invites.example') })
  expect((await run(['list-mails', '--json', '--state', 'failed', '--log-level', 'trace'])).json()).toEqual([])
  expect(await run(['list-mails', '--state', 'failed'])).toMatchObject({ exitCode: 0, stdout: 'none\n' })
  const unknown = await run(['retry-mail', 'nothing', '--json'])
  expect([unknown.exitCode, refusal(unknown.stderr)]).toEqual([3, { code: 'MAIL_NOT_FOUND', message: 'Mail not found' }])
})

test('list-tasks lists pending and dead tasks, and only a dead task can be requeued or dropped', slow, async () => {
  const tasks = (await run(['list-tasks', '--json'])).json() as { kind: string; status: string }[]
  expect(tasks).toContainEqual(expect.objectContaining({ kind: 'queue.sweep', status: 'pending' }))
  expect((await run(['list-tasks', '--json', '--status', 'dead'])).json()).toEqual([])
  for (const args of [
    ['requeue-task', 'queue.sweep'],
    ['drop-task', 'queue.sweep', '--yes'],
  ]) {
    const refused = await run([...args, '--json'])
    expect([refused.exitCode, refusal(refused.stderr)]).toEqual([3, { code: 'TASK_NOT_FOUND', message: 'Dead task not found' }])
  }
})
