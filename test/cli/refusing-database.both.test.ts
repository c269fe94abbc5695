/** The ways in which PostgreSQL and the connection to it can refuse a start or a command. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import knex from 'knex'
import { afterAll, expect, test } from 'vitest'
import { explainFailure } from '../../src/core/start.ts'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { createDatabase, createMigratedDatabase, dialect, type TestDatabase } from '../support/database.ts'
import { temporaryDirectory } from '../support/directory.ts'
import { testSecret } from '../support/secret.ts'

const directory = temporaryDirectory()

const refusalOf = async (args: readonly string[], env: Environment) => {
  const { exitCode, stderr } = await runCommand([...args, '--json'], { GATEHOUSE_DATABASE_WAIT_SECONDS: '0', ...env })
  const { code, message } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { code: string; message: string }
  return { exitCode, code, message }
}

/** Runs statements as the superuser, in a database of the server. */
const onServer = async (url: string, ...statements: readonly string[]) => {
  const direct = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } })
  try {
    for (const sql of statements) await direct.raw(sql)
  } finally {
    await direct.destroy()
  }
}

/** A role of the server that only this test uses. */
const newRole = () => `role_${randomBytes(6).toString('hex')}`

/** The database address with the given role and parameters. */
const addressAs = (database: TestDatabase, role: string, parameters = '') => {
  const url = new URL(database.url)
  url.username = role
  return `${url.href}${parameters}`
}

const commands = [['serve', '--port', '0'], ['list-users'], ['migrate']]

const refusals: readonly {
  what: string
  sql: readonly string[]
  words: readonly string[]
  parameters?: string
  code?: string
}[] = [
  { what: 'a role that does not exist', sql: [], words: ['user or password', 'GATEHOUSE_DATABASE_URL'] },
  { what: 'a role without the right to log in', sql: ['create role %R nologin'], words: ['user or password'] },
  {
    what: 'a role that may not create tables',
    sql: ['create role %R login'],
    words: ['may not do', 'grant usage, create on schema public'],
  },
  {
    what: 'a search path without a schema',
    sql: ['create role %R login superuser', 'alter role %R set search_path = nowhere'],
    words: ['search_path', 'alter role <user> in database <name> set search_path'],
  },
  {
    what: 'a role whose transactions are read-only, as on a standby,',
    sql: ['create role %R login superuser', 'alter role %R set default_transaction_read_only = on'],
    words: ['does not take writes', 'primary'],
    code: 'DATABASE_NOT_WRITABLE',
  },
  {
    what: 'a role without a free connection',
    sql: ['create role %R login connection limit 0'],
    words: ['no connection left', 'max_connections'],
  },
  {
    what: 'an unknown PostgreSQL setting in the address',
    sql: ['create role %R login superuser'],
    words: ['PostgreSQL refuses the connection of GATEHOUSE_DATABASE_URL'],
    parameters: '?options=-cbogus_thing%3D1',
  },
  {
    what: 'TLS with a server that does not offer it',
    sql: ['create role %R login superuser'],
    words: ['offers no TLS', 'sslmode'],
    parameters: '?sslmode=verify-full',
  },
]
test.runIf(dialect === 'postgres').each(refusals)(
  '$what ends a start and every command with exit code 3 and a remedy',
  slow,
  async ({ sql, words, parameters, code = 'DATABASE_NOT_USABLE' }) => {
    const database = await createDatabase()
    const role = newRole()
    await onServer(database.url, ...sql.map((text) => text.replaceAll('%R', role)))
    const env = { ...environmentOf(database), GATEHOUSE_DATABASE_URL: addressAs(database, role, parameters) }
    for (const args of commands) {
      const refused = await refusalOf(args, env)
      // An empty database is refused before anything is written to it.
      if (args[0] === 'list-users' && refused.code === 'INSTANCE_NOT_FOUND') continue
      expect([args[0], refused]).toEqual([args[0], expect.objectContaining({ exitCode: 3, code })])
      for (const part of words) expect(refused.message).toContain(part)
    }
    await database.drop()
    if (sql.length > 0) await onServer(database.url.replace(/\/\w+$/, '/postgres'), `drop role ${role}`)
  },
)

test.runIf(dialect === 'postgres')(
  'with a database that does not exist, or accepts no connections, commands end with exit code 3',
  slow,
  async () => {
    const database = await createMigratedDatabase()
    const role = newRole()
    const server = database.url.replace(/\/\w+$/, '/postgres')
    await onServer(server, `create role ${role} login`)
    const env = environmentOf(database)
    const missing = { ...env, GATEHOUSE_DATABASE_URL: `${database.url}_not` }
    expect(await refusalOf(['list-users'], missing)).toMatchObject({ exitCode: 3, message: expect.stringContaining('createdb') })
    await onServer(server, `alter database ${new URL(database.url).pathname.slice(1)} allow_connections false`)
    const closed = { ...env, GATEHOUSE_DATABASE_URL: addressAs(database, role) }
    expect(await refusalOf(['list-users'], closed)).toMatchObject({
      ...{ exitCode: 3, message: expect.stringContaining('takes no connections') },
    })
    await database.drop()
    await onServer(server, `drop role ${role}`)
  },
)

test.runIf(dialect === 'postgres')(
  'a command whose statement PostgreSQL refuses after the start also ends with exit code 3',
  slow,
  async () => {
    const database = await createMigratedDatabase()
    const env = {
      ...environmentOf(database),
      GATEHOUSE_DATABASE_URL: `${database.url}?options=-cdefault_transaction_read_only%3Don`,
    }
    expect(await refusalOf(['create-org', '--name', 'Acme', '--slug', 'acme'], env)).toMatchObject({
      ...{ exitCode: 3, code: 'DATABASE_NOT_WRITABLE', message: expect.stringContaining('does not take writes') },
    })
    await database.drop()
  },
)

/** A certificate with its own authority, where openssl is installed. */
const certificate = (() => {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  try {
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '2',
        ...names,
      ],
      {
        stdio: 'ignore',
      },
    )
    return { key: readFileSync(key), cert: readFileSync(cert), file: cert }
  } catch {
    return undefined
  }
})()

const servers: Server[] = []
const sockets: Socket[] = []
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
})

/** A server that answers the request for TLS like PostgreSQL. */
const tlsServer = async (begin: (socket: Socket) => void): Promise<number> => {
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => begin(socket))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

test.runIf(certificate !== undefined)(
  'with an untrusted certificate, or an invalid certificate file, commands end with exit code 3 and name sslrootcert',
  slow,
  async () => {
    const port = await tlsServer((socket) => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, key: certificate?.key, cert: certificate?.cert }).on('error', () => undefined)
    })
    const file = (name: string, text: string | Buffer) => {
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    }
    const own = encodeURIComponent(certificate?.file ?? '')
    const bad = encodeURIComponent(file('bad.pem', 'no certificate'))
    const broken = encodeURIComponent(file('broken.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'))
    for (const [host, parameters, words] of [
      ['localhost', 'sslmode=verify-full', 'sslrootcert=<file'],
      ['127.0.0.1', `sslmode=verify-full&sslrootcert=${own}`, 'another host'],
      ['localhost', `sslmode=verify-full&sslcert=${bad}&sslkey=${bad}`, 'PEM'],
      ['localhost', `sslmode=verify-full&sslrootcert=${broken}`, 'sslrootcert'],
      ['localhost', 'sslmode=verify-full&sslrootcert=/no/such.pem', 'sslrootcert: /no/such.pem does not exist'],
      ['localhost', `sslmode=verify-full&sslrootcert=${encodeURIComponent(directory)}`, 'is a directory'],
    ] as const) {
      const refused = await refusalOf(['list-users'], {
        GATEHOUSE_DATABASE_URL: `postgres://user:geheim@${host}:${port}/x?${parameters}`,
        GATEHOUSE_SECRET: testSecret,
      })
      expect([parameters, refused.exitCode, refused.message]).toEqual([parameters, 3, expect.stringContaining(words)])
      expect(refused.message).not.toContain('geheim')
    }
  },
)

test(
  'with a server that agrees to TLS and then does not speak TLS, or a missing socket, commands end with exit code 3',
  slow,
  async () => {
    const port = await tlsServer((socket) => void socket.end('SHTTP/1.1 400 Bad Request\r\n\r\n'))
    for (const [address, words] of [
      [`postgres://user@127.0.0.1:${port}/x?sslmode=no-verify`, 'GATEHOUSE_DATABASE_URL'],
      [`postgres://user@/x?host=${encodeURIComponent(directory)}`, 'The socket of PostgreSQL'],
      ['postgres:///x?host=/no/such/directory', 'The socket of PostgreSQL'],
      ['postgres://user@127.0.0.1:9/x', 'The database does not answer'],
      ['postgres://user@nowhere.invalid/x', 'The database does not answer'],
    ] as const) {
      const refused = await refusalOf(['list-users'], { GATEHOUSE_DATABASE_URL: address, GATEHOUSE_SECRET: testSecret })
      expect([address, refused.exitCode, refused.message]).toEqual([address, 3, expect.stringContaining(words)])
    }
  },
)

test('every possible error state of PostgreSQL and SQLite has a message, and a faulty statement is not mistaken for one', () => {
  const said = (code: string, severity?: string) => {
    const error = Object.assign(new Error('the words of the database'), { code, ...(severity === undefined ? {} : { severity }) })
    const explained = explainFailure(error)
    return explained === error ? undefined : (explained as Error).message
  }
  const states = ['08006', '25006', '28000', '28P01', '3D000', '3F000', '42501', '53100', '53200', '53300', '53400', '54000']
  for (const code of [...states, '55000', '57P01', '57P02', '57P03', '57P04', '58030', '58P01', 'F0000', 'XX001', 'XX002'])
    expect([code, said(code, 'FATAL')]).toEqual([code, expect.stringMatching(/\. \w/)])
  for (const name of ['CANTOPEN', 'READONLY', 'NOTADB', 'CORRUPT', 'IOERR', 'FULL', 'NOMEM', 'BUSY'])
    expect([name, said(`SQLITE_${name}`)]).toEqual([name, expect.stringMatching(/\. \w/)])
  for (const code of ['23505', '23503', '42601', '42P01', '42703', '22001', '40001', '34000'])
    expect([code, said(code, 'ERROR')]).toEqual([code, undefined])
  for (const name of ['ERROR', 'CONSTRAINT', 'MISUSE', 'RANGE']) expect([name, said(`SQLITE_${name}`)]).toEqual([name, undefined])
})
