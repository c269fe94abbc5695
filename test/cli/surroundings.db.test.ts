/** Errors of the system for files and addresses that a start or a command uses: none of them is reported as "a bug of gatehouse". */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Environment, environmentOf, inherited, runCommand, slow } from '../support/binary.ts'
import { createSqliteDatabase } from '../support/database.ts'
import { temporaryDirectory } from '../support/directory.ts'
import { testSecret } from '../support/secret.ts'
import { canBeUnprivileged, unprivileged } from '../support/unprivileged.ts'

const directory = temporaryDirectory()
let count = 0
/** A new name in the directory. */
const fresh = (name: string) => join(directory, `${++count}-${name}`)

const refusalOf = async (args: readonly string[], env: Environment = {}, input = '') => {
  const { exitCode, stderr } = await runCommand([...args, '--json'], env, input)
  const { code, message } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { code: string; message: string }
  return { exitCode, code, message }
}

/** An instance in a data directory with its own secret. */
const instance = async () => {
  const dataDir = fresh('data')
  expect((await runCommand(['migrate'], { GATEHOUSE_DATA_DIR: dataDir })).exitCode).toBe(0)
  return { dataDir, env: { GATEHOUSE_DATA_DIR: dataDir } }
}

/** Paths that are not readable files, each with its description in the message. */
const unreadable: readonly (readonly [what: string, make: () => string, words: string])[] = [
  ['a file that does not exist', () => fresh('nothing'), 'does not exist'],
  [
    'a directory',
    () => {
      const path = fresh('directory')
      mkdirSync(path)
      return path
    },
    'is a directory',
  ],
  [
    'a path below a file',
    () => {
      const path = fresh('file')
      writeFileSync(path, 'x')
      return join(path, 'below')
    },
    'lies below a file',
  ],
  [
    'a link to itself',
    () => {
      const path = fresh('loop')
      symlinkSync(path, path)
      return path
    },
    'is a link that leads to itself',
  ],
  ['too long a name', () => fresh('x'.repeat(300)), 'has a name that is too long'],
  [
    'a file in Latin-1',
    () => {
      const path = fresh('latin')
      writeFileSync(path, Buffer.from('geheim\xe9', 'latin1'))
      return path
    },
    'is not valid UTF-8',
  ],
]

/** Settings and flags that name a file to read, each with its name in the message. */
const readers: readonly (readonly [name: string, read: (path: string) => Promise<Awaited<ReturnType<typeof refusalOf>>>])[] = [
  ['config', (path) => refusalOf(['check-config', '--config', path])],
  ['config', (path) => refusalOf(['check-config'], { GATEHOUSE_CONFIG: path })],
  ['GATEHOUSE_SECRET_FILE', (path) => refusalOf(['check-config'], { GATEHOUSE_SECRET_FILE: path })],
  ['GATEHOUSE_SMTP_URL_FILE', (path) => refusalOf(['serve'], { GATEHOUSE_SMTP_URL_FILE: path })],
  [
    'databaseUrlFile',
    (path) => {
      const file = fresh('c.yaml')
      writeFileSync(file, `databaseUrlFile: ${JSON.stringify(path)}\n`)
      return refusalOf(['migrate', '--config', file])
    },
  ],
  [
    'secretFile',
    (path) => {
      const file = fresh('apply.yaml')
      writeFileSync(file, `webhookEndpoints: { polar: { secretFile: ${JSON.stringify(path)} } }\n`)
      return refusalOf(['apply', '--file', file, '--dry-run'])
    },
  ],
]

for (const [what, make, words] of unreadable)
  test(`with a setting that names ${what} commands end with exit code 3 and name the setting`, slow, async () => {
    for (const [name, read] of readers) {
      const path = make()
      const refused = await read(path)
      expect([name, refused.exitCode, refused.message]).toEqual([name, 3, expect.stringContaining(words)])
      expect(refused.message).toContain(name)
      expect(refused.message).toContain(path)
    }
  })

test('with a flag that names an unreadable file a command ends with exit code 3 and names the flag', slow, async () => {
  const { env, dataDir } = await instance()
  const folder = fresh('folder')
  mkdirSync(folder)
  const textsFile = fresh('texts.yaml')
  writeFileSync(join(folder, 'file'), 'x')
  writeFileSync(textsFile, `texts: { directory: ${folder}/file }\n`)
  for (const [args, words] of [
    [['import-breached', '--from', folder], `--from: ${folder} is a directory`],
    [['import-breached', '--from', '-', '--to', join(folder, 'no', 'x')], `--to: ${join(folder, 'no', 'x')} does not exist`],
    [['import-breached', '--from', '-', '--to', folder], `--to: ${folder}`],
    [
      ['register-client', '--name', 'A', '--redirect-uri', 'http://localhost/', '--logo', folder],
      `--logo: ${folder} is a directory`,
    ],
    [['backup', '--without-keys', '--to', join(folder, 'no', 'x.gz')], 'does not exist'],
    [['restore', folder, '--data-dir', fresh('restored')], 'is a directory'],
    [['apply', '--file', folder, '--yes'], 'is a directory'],
    [['check-config', '--config', textsFile], `texts.directory: ${folder}/file is no directory`],
  ] as const) {
    const refused = await refusalOf(args, env, `${'A'.repeat(40)}:1\n`)
    expect([args[0], refused.exitCode, refused.message]).toEqual([args[0], 3, expect.stringContaining(words)])
  }
  rmSync(dataDir, { recursive: true })
})

test('with a directory in place of the SQLite file or of the secret file, commands end with exit code 3', slow, async () => {
  const { env, dataDir } = await instance()
  for (const command of ['serve', 'migrate', 'list-users', 'doctor']) {
    const asFile = await refusalOf([command], { GATEHOUSE_SECRET: testSecret, GATEHOUSE_DATABASE_URL: `sqlite:${dataDir}` })
    expect(asFile).toMatchObject({ exitCode: 3, message: expect.stringContaining('GATEHOUSE_DATABASE_URL') })
    expect(asFile.message).toContain('is a directory')
  }
  rmSync(join(dataDir, 'secret'))
  mkdirSync(join(dataDir, 'secret'))
  expect(await refusalOf(['list-users'], env)).toMatchObject({
    ...{ exitCode: 3, code: 'SECRET_NOT_USABLE' },
    message: expect.stringContaining(`${join(dataDir, 'secret')} is a directory`),
  })
})

test.runIf(canBeUnprivileged)('with files of another user commands end with exit code 3 and a remedy', slow, async () => {
  const { env, dataDir } = await instance()
  const withSecret = { ...env, GATEHOUSE_SECRET: testSecret }
  const locked = fresh('locked')
  writeFileSync(locked, testSecret)
  chmodSync(locked, 0)
  const refused = (args: readonly string[], more: Environment) => unprivileged(directory, () => refusalOf(args, more))
  const may = 'may not be used by the user gatehouse runs as'

  expect(await refused(['check-config'], { GATEHOUSE_SECRET_FILE: locked })).toMatchObject({
    ...{ exitCode: 3, message: expect.stringContaining(`GATEHOUSE_SECRET_FILE: ${locked} ${may}`) },
  })
  // First the whole directory, then the file in it, then a directory in which nothing can be created.
  chmodSync(dataDir, 0)
  for (const command of ['serve', 'list-users', 'migrate'])
    expect(await refused([command], withSecret)).toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('GATEHOUSE_DATA_DIR'),
    })
  chmodSync(dataDir, 0o777)
  chmodSync(join(dataDir, 'gatehouse.db'), 0)
  chmodSync(join(dataDir, 'secret'), 0)
  expect((await refused(['list-users'], withSecret)).message).toContain('The SQLite file cannot be used')
  expect(await refused(['list-users'], env)).toMatchObject({
    ...{ exitCode: 3, code: 'SECRET_NOT_USABLE' },
    message: expect.stringContaining(`${join(dataDir, 'secret')} ${may}`),
  })
  chmodSync(join(dataDir, 'gatehouse.db'), 0o644)
  const readOnly = await refused(['create-org', '--name', 'Acme', '--slug', 'acme'], withSecret)
  expect(readOnly).toMatchObject({ exitCode: 3, code: 'DATABASE_NOT_WRITABLE' })
  chmodSync(dataDir, 0o700)
})

test('with an invalid database URL, or unknown parameters in it, commands end with exit code 3 and a remedy', slow, async () => {
  for (const [address, words] of [
    ['postgres://u:p#ss@localhost/db', '%23'],
    ['postgres://u:p/ss@localhost/db', '%2F'],
    ['postgres://u:12/ss@localhost/db', '%2F'],
    ['postgres://u:p?ss@localhost/db', '%3F'],
    ['postgres://u:p%e9@localhost/db', '%25'],
    ['postgres://u@localhost:99999/db', 'no address'],
    ['postgres://u@one,two/db', 'names several hosts'],
    ['postgres://u@one:1,two:2/db', 'names several hosts'],
    ['postgres://u@localhost/db?schema=auth', 'options=-csearch_path%3D<schema>'],
    ['postgres://u@localhost/db?currentSchema=auth', 'options=-csearch_path%3D<schema>'],
    ['postgres://u@localhost/db?pgbouncer=true', 'database.pooler'],
    ['postgres://u@localhost/db?sslmode=on', 'sslmode must be one of'],
    ['postgres://u@localhost/db?sslrotcert=/x', 'sslrotcert is a parameter that is not read'],
    ['sqlite:gatehouse.db?mode=ro', 'parameters behind a ?'],
  ] as const) {
    const env = { GATEHOUSE_DATABASE_URL: address, GATEHOUSE_SECRET: testSecret, GATEHOUSE_DATABASE_WAIT_SECONDS: '0' }
    for (const command of ['check-config', 'list-users']) {
      const refused = await refusalOf([command], env)
      expect([address, refused.exitCode, refused.message]).toEqual([address, 3, expect.stringContaining(words)])
      expect(refused.message).toContain('databaseUrl')
      expect(refused.message).not.toMatch(/p.ss@|12.ss/)
    }
  }
})

test(
  'with an unusable address to listen on or to send traces to, the daemon ends with exit code 3 and names the setting',
  slow,
  async () => {
    const database = await createSqliteDatabase()
    const env = environmentOf(database)
    expect(
      await refusalOf(['serve', '--port', '0'], {
        ...env,
        GATEHOUSE_METRICS_PORT: '0',
        GATEHOUSE_METRICS_HOST: '192.0.2.1',
      }),
    ).toMatchObject({
      ...{ exitCode: 3, code: 'CANNOT_LISTEN' },
      message: expect.stringContaining('GATEHOUSE_METRICS_HOST'),
    })
    expect(await refusalOf(['serve', '--port', '0'], { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' })).toMatchObject({
      ...{ exitCode: 3, message: expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT') },
    })
    await database.drop()
  },
)

test('an error without a known external cause is still called a bug', async () => {
  expect(Object.keys(inherited())).not.toContain('GATEHOUSE_URL')
  const { explainFailure } = await import('../../src/core/start.ts')
  for (const bug of [
    new TypeError('x is not a function'),
    Object.assign(new Error('bad file'), { code: 'EBADF', syscall: 'read' }),
    Object.assign(new Error('ENOENT'), { code: 'ENOENT' }),
    Object.assign(new Error('syntax error'), { code: '42601', severity: 'ERROR' }),
    Object.assign(new Error('no such column'), { code: 'SQLITE_ERROR' }),
    Object.assign(new Error('null value'), { code: '23502', severity: 'ERROR' }),
  ])
    expect(explainFailure(bug)).toBe(bug)
})
