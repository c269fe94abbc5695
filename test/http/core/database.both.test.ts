import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  afterCommit,
  beforeCommit,
  type Database,
  inTurn,
  lockRow,
  openDatabase,
  preparedSelect,
  readPrepared,
  type Tx,
  uniqueViolation,
  writeLast,
} from '../../../src/core/db/database.ts'
import {
  migrateDown,
  migrateUp,
  migrationStatus,
  previewDown,
  SchemaTooNewError,
  SchemaUnreleasedError,
} from '../../../src/core/db/migrate.ts'
import { bool, bytes, document, int, json, nullable, oneOf, table, text, time } from '../../../src/core/db/table.ts'
import { objectWith } from '../../../src/core/stored-json.ts'
import { createDatabase, dialect, isPooled, type TestDatabase } from '../../support/database.ts'

const anything = { parse: (value: unknown) => value }
const columns = {
  id: text,
  count: int,
  isOn: bool,
  at: time,
  extra: nullable(json(() => objectWith<{ a: number }>({ a: 'number' }))),
  kind: oneOf('x', 'y'),
}
const things = table('thing', columns)
const list = {
  '1_thing': {
    up: (knex) =>
      knex.schema.createTable('thing', (t) => {
        t.string('id').primary()
        t.integer('count').notNullable()
        t.boolean('is_on').notNullable()
        t.timestamp('at').notNullable()
        t.text('extra')
        t.string('kind').notNullable()
      }),
    down: (knex) => knex.schema.dropTable('thing'),
  },
  '2_part': {
    up: async (knex) => {
      await knex.schema.createTable('part', (t) => {
        t.string('id').primary()
        t.string('thing_id').notNullable().references('thing.id').onDelete('CASCADE')
      })
    },
    down: (knex) => knex.schema.dropTable('part'),
  },
} satisfies Parameters<typeof migrateUp>[1]

let place: TestDatabase
let database: Database
const open = () => openDatabase({ ...place, poolMax: 10, synchronous: 'NORMAL' })
const at = new Date('2026-02-03T04:05:06.789Z')
const row = (id: string, count = 0) => ({ id, count, isOn: true, at, extra: { a: 1 }, kind: 'x' as const })
const now = () => new Date()

/** Breaks the connection of a transaction as if its process had died: PostgreSQL ends it, SQLite's file is closed. */
const cutConnection = async (tx: Tx) => {
  if (dialect === 'postgres') await tx.knex.raw('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
  else throw new Error('the process dies')
}

/**
 * A proxy to PostgreSQL that breaks the begin of transactions while `isSpoiling`, like a server or pooler that refuses a begin and
 * accepts the next statement.
 */
const spoilingWay = async (address: string) => {
  const { hostname, port } = new URL(address)
  const way = { isSpoiling: false, url: '', close: () => void server.close() }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy())
    near.on('data', (data) => {
      const at = way.isSpoiling ? data.indexOf('BEGIN ISOLATION') : -1
      if (at !== -1) data.write('BEGIX', at)
      far.write(data)
    })
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(address)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  way.url = url.href
  return way
}

beforeAll(async () => {
  place = await createDatabase()
  database = open()
  await migrateUp(database, list, now)
})
afterAll(async () => {
  await database.destroy()
  await place.drop()
})

test('times, booleans, JSON and nulls of a row are read as they were written', async () => {
  const one = { ...row('one'), extra: null, isOn: false }
  await database.transact(async (tx) => {
    await things.insert(tx, one)
    await things.insert(tx, row('two'))
  })
  expect(await things.find(database.db, { id: 'one' })).toEqual(one)
  expect(await things.find(database.db, { isOn: true, at })).toEqual(row('two'))
  expect(await things.list(database.db, {}, { orderBy: 'id', descending: true, limit: 1 })).toEqual([row('two')])
  expect(await things.find(database.db, { id: 'none' })).toBeUndefined()
})

test('prepared reads return values of every kind as they were written, also in a join', async () => {
  const kinds = {
    id: text,
    words: nullable(text),
    count: nullable(int),
    isOn: bool,
    at: time,
    extra: nullable(json(() => anything)),
  }
  const plain = table('plain', kinds)
  const binary = table('bare', { ...kinds, data: nullable(bytes) })
  await database.transact(async (tx) => {
    for (const { name } of [plain, binary])
      await tx.knex.schema.createTable(name, (t) => {
        t.string('id').primary()
        t.text('words')
        t.bigInteger('count')
        t.boolean('is_on').notNullable()
        t.timestamp('at', { precision: 3 }).notNullable()
        t.text('extra')
        t.binary('data')
      })
  })
  const controls = Array.from({ length: 31 }, (_, i) => String.fromCharCode(i + 1)).join('')
  // PostgreSQL cannot store NUL in text.
  const texts = [controls, '', '"\\\'`', '\u007f\u2028\ufeff', '👩‍👧 ß İ', 'null', '[1]', '1e3', 'x'.repeat(100_000), null]
  const counts = [2 ** 53 - 1, -(2 ** 53 - 1), 0, -1, null]
  const times = [at, new Date(0), new Date(-1), new Date('0001-01-01T00:00:00.001Z'), new Date('9999-12-31T23:59:59.999Z')]
  const extras = [{ a: ['"', controls] }, [], 'text', 0.1 + 0.2, false, null]
  const rows = [...texts, ...(dialect === 'sqlite' ? ['a\0b'] : [])].map((words, index) => ({
    ...{ id: `${index}`, words, count: counts[index % counts.length] ?? null, isOn: index % 2 === 0 },
    ...{ at: times[index % times.length] ?? at, extra: extras[index % extras.length] ?? null },
  }))
  const data = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
  await database.transact(async (tx) => {
    for (const one of rows) {
      await plain.insert(tx, one)
      await binary.insert(tx, { ...one, data })
    }
  })
  const joined = preparedSelect(
    'test_joined',
    [...plain.columnsOf('p', 'p_'), ...plain.columnsOf('b', 'b_'), { sql: 'count(*) over ()', name: 'total' }],
    'from plain p join bare b on b.id = p.id where p.id = ?',
  )
  for (const one of rows) {
    expect(await plain.find(database.db, { id: one.id })).toEqual(one)
    expect(await plain.findAll(database.db, 'id', [one.id])).toEqual([one])
    expect(await binary.find(database.db, { id: one.id })).toEqual({ ...one, data })
    const [row = {}] = await readPrepared(database.db, joined, [one.id])
    expect([plain.decode(row, 'p_'), plain.decode(row, 'b_'), Number(row['total'])]).toEqual([one, one, 1])
  }
  const [absent = {}] = await readPrepared(
    database.db,
    preparedSelect('test_absent', plain.columnsOf('p', ''), 'from (select 1 as one) asked left join plain p on p.id = ?'),
    ['none'],
  )
  expect(new Set(Object.values(absent))).toEqual(new Set([null]))
})

test('a missing column is an error in a read, a condition and a change, and never treated as text', async () => {
  await database.transact((tx) => things.insert(tx, row('whole')))
  const ahead = table('thing', { ...columns, added: nullable(text) })
  // SQLite treats an unknown name in double quotes as text.
  const words = { added: 'added' }
  await expect(ahead.find(database.db, { id: 'whole' })).rejects.toThrow(/added/)
  await expect(ahead.findAll(database.db, 'id', ['whole'])).rejects.toThrow(/added/)
  await expect(ahead.findAll(database.db, 'added', ['added'])).rejects.toThrow(/added/)
  await expect(ahead.list(database.db, words)).rejects.toThrow(/added/)
  for (const change of [
    (tx: Tx) => ahead.update(tx, words, { count: 0 }),
    (tx: Tx) => ahead.update(tx, { id: 'whole' }, words),
    (tx: Tx) => ahead.delete(tx, words),
    (tx: Tx) => ahead.deleteAll(tx, 'added', ['added']),
    (tx: Tx) => ahead.insert(tx, { ...row('ahead'), added: null }),
    (tx: Tx) => ahead.insertAll(tx, [{ ...row('ahead'), added: null }]),
    (tx: Tx) => ahead.upsertAll(tx, [{ ...row('whole'), added: null }], ['id'], ['added']),
  ])
    await expect(database.transact<unknown>(change)).rejects.toThrow(/added/)
  expect(await things.find(database.db, { id: 'whole' })).toEqual(row('whole'))
})

test('a JSON document is read as it was written, also beside columns that SQLite reads packed', async () => {
  const kinds = { id: text, words: text, data: document(() => anything), further: nullable(document(() => anything)) }
  const papers = table('paper', kinds)
  await database.transact((tx) =>
    tx.knex.schema.createTable('paper', (t) => {
      t.string('id').primary()
      for (const name of ['words', 'data', 'further']) t.text(name)
    }),
  )
  const written = [
    { id: '1', words: '"', data: { a: ['"', '\\', 0.1 + 0.2, 1e300] }, further: null },
    { id: '2', words: '', data: 'x'.repeat(100_000), further: { packed: [] } },
    { id: '3', words: 'null', data: null, further: [null] },
  ]
  await database.transact((tx) => papers.insertAll(tx, written))
  for (const one of written) expect(await papers.find(database.db, { id: one.id })).toEqual(one)
  const both = preparedSelect(
    'test_documents',
    [...papers.columnsOf('p', 'p_'), ...papers.columnsOf('q', 'q_')],
    'from paper p left join paper q on q.id = ? where p.id = ?',
  )
  const [found = {}] = await readPrepared(database.db, both, ['2', '1'])
  expect([papers.decode(found, 'p_'), papers.decode(found, 'q_')]).toEqual([written[0], written[1]])
})

test('an error thrown in a transaction rolls the whole transaction back', async () => {
  const work = database.transact(async (tx) => {
    await things.insert(tx, row('ghost'))
    throw new Error('no')
  })
  await expect(work).rejects.toThrow('no')
  expect(await things.find(database.db, { id: 'ghost' })).toBeUndefined()
})

test.runIf(dialect === 'postgres')('a transaction with a failed and ignored statement is not treated as committed', async () => {
  const work = database.transact(async (tx) => {
    await things.insert(tx, row('lost'))
    await things.insert(tx, row('lost')).catch(() => undefined)
  })
  await expect(work).rejects.toThrow('the database rolled the transaction back')
  expect(await things.find(database.db, { id: 'lost' })).toBeUndefined()
})

test.runIf(dialect === 'postgres')(
  'no statement is sent after a failed begin, and the error is the error of the begin',
  async () => {
    const way = await spoilingWay(place.url)
    for (const pooler of isPooled ? (['transaction'] as const) : (['none', 'transaction'] as const)) {
      const spoiled = openDatabase({ url: way.url, pooler, poolMax: 1, synchronous: 'NORMAL' })
      const read = { name: 'test_first', sql: 'select 1 as one' }
      const works: ((tx: Tx) => Promise<unknown>)[] = [
        async () => undefined,
        (tx) => readPrepared(tx, read, []),
        async (tx) => {
          await readPrepared(tx, read, [])
          await things.insert(tx, row('by itself'))
        },
        async (tx) => {
          await readPrepared(tx, read, [])
          await tx.knex('thing').insert({ ...things.encode(row('by itself')), extra: null })
        },
        async (tx) => {
          await tx.knex.raw('select nothing from nowhere')
        },
        // The pooler may have a connection for later statements, but it gets none before the begin is answered.
        ...(pooler === 'none' ? [] : [(tx: Tx) => things.insert(tx, row('by itself'))]),
        ...(pooler === 'none' ? [] : [(tx: Tx) => inTurn(tx, [() => things.insert(tx, row('by itself'))])]),
      ]
      way.isSpoiling = true
      for (const work of works) await expect(spoiled.transact(work)).rejects.toMatchObject({ code: '42601' })
      way.isSpoiling = false
      await spoiled.transact((tx) => things.insert(tx, row(`begun again, ${pooler}`)))
      expect(spoiled.pool()).toMatchObject({ used: 0, waiting: 0 })
      await spoiled.destroy()
    }
    expect(await things.find(database.db, { id: 'by itself' })).toBeUndefined()
    expect((await things.list(database.db, {})).filter(({ id }) => id.startsWith('begun again'))).toHaveLength(isPooled ? 1 : 2)
    way.close()
  },
)

test('a transaction whose last write fails is rolled back with the error of the write, and repeated after a conflict', async () => {
  const last = (sql: string) => ({ statement: { name: `test_last_${sql.length}`, sql }, values: ['last'] })
  const duplicate = database.transact(async (tx) => {
    await things.insert(tx, row('last'))
    writeLast(tx, () =>
      last("insert into thing (id, count, is_on, at, kind) select id, count, is_on, at, 'x' from thing where id = ?"),
    )
  })
  const error = await duplicate.catch((thrown: unknown) => thrown)
  expect(uniqueViolation(error)).toBeDefined()
  expect(await things.find(database.db, { id: 'last' })).toBeUndefined()
  const unmade = database.transact(async (tx) => {
    await things.insert(tx, row('last'))
    writeLast(tx, () => {
      throw new Error('not made')
    })
  })
  await expect(unmade).rejects.toThrow('not made')
  expect(await things.find(database.db, { id: 'last' })).toBeUndefined()
  if (dialect !== 'postgres') return
  await database.db.knex.raw(
    "create function overtaken(id text) returns int language plpgsql as $$ begin raise exception 'overtaken' using errcode = '40001'; end $$",
  )
  let attempts = 0
  const overtaken = database.transact(async (tx) => {
    attempts += 1
    await things.insert(tx, row('last'))
    writeLast(tx, () => last('select overtaken(?)'))
  })
  await expect(overtaken).rejects.toMatchObject({ code: '40001' })
  expect(attempts).toBe(3)
  expect(await things.find(database.db, { id: 'last' })).toBeUndefined()
})

test.runIf(dialect === 'postgres')(
  'a connection that breaks between the begin and the first statement is not used again',
  async () => {
    const one = openDatabase({ ...place, poolMax: 1, synchronous: 'NORMAL' })
    const pidSql = { name: 'test_pid', sql: 'select pg_backend_pid() as pid' }
    const end = async (pid: unknown) => {
      await database.db.knex.raw('select pg_terminate_backend(?)', [pid as number])
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const [first] = await readPrepared(one.db, pidSql, [])
    const ended = one.transact(async (tx) => {
      await end(first?.['pid'])
      await things.insert(tx, row('ended'))
    })
    await expect(ended).rejects.toThrow(/terminat|queryable/)
    const [second] = await readPrepared(one.db, pidSql, [])
    expect(second?.['pid']).not.toBe(first?.['pid'])
    // Without a statement of its own, the transaction learns of the failure at the commit.
    await expect(one.transact(() => end(second?.['pid']))).rejects.toThrow(/terminat|queryable/)
    await one.transact((tx) => things.insert(tx, row('after the end')))
    expect(await things.find(database.db, { id: 'ended' })).toBeUndefined()
    await one.destroy()
  },
)

test('a failure of the last step before the commit undoes the writes and skips the reactions to the commit', async () => {
  const told: string[] = []
  const work = database.transact(async (tx) => {
    await things.insert(tx, row('unfinished'))
    afterCommit(tx, () => told.push('committed'))
    beforeCommit(tx, async () => {
      throw new Error('not finished')
    })
  })
  await expect(work).rejects.toThrow('not finished')
  expect(await things.find(database.db, { id: 'unfinished' })).toBeUndefined()
  expect(told).toEqual([])
  await database.transact(async (tx) => {
    afterCommit(tx, () => told.push('committed'))
    beforeCommit(tx, async () => void told.push('before'))
  })
  expect(told).toEqual(['before', 'committed'])
})

test('an ended transaction sends no further statement, prepared or not', async () => {
  const kept: Tx[] = []
  await database.transact(async (tx) => void kept.push(tx))
  const failed = database.transact(async (tx) => {
    kept.push(tx)
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  for (const tx of kept) {
    await expect(things.insert(tx, row('late'))).rejects.toThrow('the transaction has ended')
    await expect((async () => tx.knex('thing').where({ id: 'late' }).delete())()).rejects.toThrow('the transaction has ended')
    await expect((async () => tx.knex.raw('select 1'))()).rejects.toThrow('the transaction has ended')
  }
  expect(await things.find(database.db, { id: 'late' })).toBeUndefined()
})

test('a statement queued when its transaction fails is not sent after the end of the transaction', async () => {
  const one = openDatabase({ ...place, poolMax: 1, synchronous: 'NORMAL' })
  const steps = async (count: number) => {
    for (let step = 0; step < count; step += 1) await undefined
  }
  for (let count = 0; count < 60; count += 1) {
    const late: Promise<unknown>[] = []
    const work = one.transact(async (tx) => {
      await readPrepared(tx, { name: 'test_first', sql: 'select 1 as one' }, [])
      late.push((async () => tx.knex('thing').insert({ ...things.encode(row(`on its way ${count}`)), extra: null }))())
      late.push(things.insert(tx, row(`sent ${count}`)))
      await steps(count)
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    await Promise.allSettled(late)
  }
  expect((await things.list(one.db, {})).map(({ id }) => id).filter((id) => /on its way|sent/.test(id))).toEqual([])
  await one.destroy()
})

test('a connection is usable after a transaction on it failed at any point', async () => {
  const one = openDatabase({ ...place, poolMax: 1, synchronous: 'NORMAL' })
  const failures: ((tx: Tx) => Promise<unknown>)[] = [
    () => Promise.reject(new Error('before any statement')),
    async (tx) => tx.knex.raw('select nothing from nowhere'),
    async (tx) => {
      await things.insert(tx, row('twice'))
      await things.insert(tx, row('twice'))
    },
    async (tx) => {
      await things.insert(tx, row('half'))
      await tx.knex('part').insert({ id: 'p', thing_id: 'nowhere' })
    },
    async (tx) => {
      await things.insert(tx, row('ended by itself'))
      await tx.knex.raw('rollback')
      throw new Error('ended by itself')
    },
  ]
  for (const fail of failures) await expect(one.transact(fail)).rejects.toThrow()
  await expect(Promise.all(failures.map((fail) => one.transact(fail)))).rejects.toThrow()
  await one.transact((tx) => things.insert(tx, row('after')))
  expect((await things.list(one.db, {})).map(({ id }) => id).filter((id) => /twice|half|ended/.test(id))).toEqual([])
  expect(await things.find(one.db, { id: 'after' })).toEqual(row('after'))
  expect(one.pool()).toMatchObject({ used: 0, waiting: 0 })
  await one.destroy()
})

test('a transaction of a killed process leaves no rows and no locks', async () => {
  const dying = openDatabase({ ...place, poolMax: 1, synchronous: 'NORMAL' })
  await database.transact((tx) => things.insert(tx, row('contended')))
  const broken = dying.transact(async (tx) => {
    await lockRow(tx, 'thing', 'contended')
    await things.insert(tx, row('lost'))
    await cutConnection(tx)
    await things.insert(tx, row('lost too'))
  })
  await expect(broken).rejects.toThrow()
  await database.transact(async (tx) => {
    await lockRow(tx, 'thing', 'contended')
    await things.update(tx, { id: 'contended' }, { count: 1 })
  })
  expect(await things.find(database.db, { id: 'lost' })).toBeUndefined()
  // The pool has dropped the broken connection, and opens another one.
  await dying.transact((tx) => things.update(tx, { id: 'contended' }, { count: 2 }))
  expect(await things.find(database.db, { id: 'contended' })).toMatchObject({ count: 2 })
  await dying.destroy()
})

test('a single statement is written without a transaction, and a second statement is refused', async () => {
  const seen: string[] = []
  const note = ({ sql }: { sql: string }) => void seen.push(sql)
  database.db.knex.on('query', note)
  const told: string[] = []
  await database.single(async (tx) => {
    afterCommit(tx, () => told.push('written'))
    await things.insert(tx, row('single'))
  })
  database.db.knex.off('query', note)
  expect(seen).toHaveLength(1)
  expect(told).toEqual(['written'])
  expect(await things.find(database.db, { id: 'single' })).toEqual(row('single'))
  const two = database.single(async (tx) => {
    await things.update(tx, { id: 'single' }, { count: 1 })
    await things.update(tx, { id: 'single' }, { count: 2 })
  })
  await expect(two).rejects.toThrow('it needs a transaction')
  await expect(database.single(async (tx) => beforeCommit(tx, async () => undefined))).rejects.toThrow('it needs a transaction')
})

test('a second row with the same key is reported as a unique violation', async () => {
  await database.transact((tx) => things.insert(tx, row('same')))
  const error = await database.transact((tx) => things.insert(tx, row('same'))).catch((caught: unknown) => caught)
  expect(uniqueViolation(error)).toBeDefined()
  expect(uniqueViolation(new Error('other'))).toBeUndefined()
})

test('two processes that read, change and write one row under a lock lose no change', async () => {
  await database.transact((tx) => things.insert(tx, row('counter')))
  const other = open()
  const increment = async (tx: Tx) => {
    await lockRow(tx, 'thing', 'counter')
    const thing = await things.find(tx, { id: 'counter' })
    await things.update(tx, { id: 'counter' }, { count: (thing?.count ?? 0) + 1 })
  }
  await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? database : other).transact(increment)))
  expect((await things.find(database.db, { id: 'counter' }))?.count).toBe(40)
  await other.destroy()
})

test('exactly one of several simultaneous conditional updates takes effect', async () => {
  await database.transact((tx) => things.insert(tx, row('once')))
  const wins = await Promise.all(
    Array.from({ length: 20 }, () => database.transact((tx) => things.updateOne(tx, { id: 'once', kind: 'x' }, { kind: 'y' }))),
  )
  expect(wins.filter(Boolean)).toHaveLength(1)
})

test('foreign keys are enforced', async () => {
  await expect(database.transact((tx) => tx.knex('part').insert({ id: 'p', thing_id: 'nowhere' }))).rejects.toThrow()
})

test('a prepared statement on a missing table fails, and its connection stays usable', async () => {
  const one = openDatabase({ ...place, poolMax: 1, synchronous: 'NORMAL' })
  const missing = table('missing', { id: text })
  for (let i = 0; i < 2; i += 1) {
    await expect(missing.find(one.db, { id: 'a' })).rejects.toThrow(/missing/)
    await expect(one.transact((tx) => missing.insert(tx, { id: 'a' }))).rejects.toThrow(/missing/)
  }
  expect(await things.find(one.db, { id: 'none' })).toBeUndefined()
  await one.destroy()
})

test('rows written together are read as they were written, and replace rows with the same keys', async () => {
  const rows = [row('together'), { ...row('apart', 7), extra: null, isOn: false }, { ...row('quoted'), extra: { a: 2 } }]
  await database.transact((tx) => things.insertAll(tx, rows))
  const byId = async () =>
    (await things.findAll(database.db, 'id', ['together', 'apart', 'quoted'])).sort((a, b) => (a.id < b.id ? -1 : 1))
  expect(await byId()).toEqual(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  const changed = rows.map((one) => ({ ...one, count: 9, kind: 'y' as const }))
  await database.transact((tx) => things.upsertAll(tx, changed, ['id'], ['count']))
  expect((await byId()).map(({ count, kind }) => [count, kind])).toEqual(Array(3).fill([9, 'x']))
  expect(await database.transact((tx) => things.deleteAll(tx, 'id', ['together', 'apart', 'nobody']))).toBe(2)
})

test('migrations run once however many processes start them, and can be undone and repeated', async () => {
  const fresh = await createDatabase()
  const nodes = [1, 2, 3].map(() => openDatabase({ ...fresh, poolMax: 2, synchronous: 'NORMAL' }))
  const done = (await Promise.all(nodes.map((node) => migrateUp(node, list, now)))).flat()
  expect(done.sort()).toEqual(['1_thing', '2_part'])
  const [node] = nodes
  if (node === undefined) throw new Error('no node')
  expect(await migrationStatus(node, list)).toEqual({ done: ['1_thing', '2_part'], pending: [] })
  expect(await migrateDown(node, list)).toBe('2_part')
  expect(await migrationStatus(node, list)).toEqual({ done: ['1_thing'], pending: ['2_part'] })
  expect(await migrateUp(node, list, now)).toEqual(['2_part'])
  await Promise.all(nodes.map((one) => one.destroy()))
  await fresh.drop()
})

test('a schema newer than the program is refused with a message that says what to do', async () => {
  const older = { '1_thing': list['1_thing'] }
  await expect(migrateUp(database, older, now)).rejects.toThrow(SchemaTooNewError)
  await expect(migrationStatus(database, older)).rejects.toThrow(/2_part.*newer version/)
})

test('a schema from before the first release is refused, and not mistaken for a newer schema', async () => {
  const released = { '3_other': list['1_thing'] }
  await expect(migrateUp(database, released, now)).rejects.toThrow(SchemaUnreleasedError)
  await expect(migrationStatus(database, released)).rejects.toThrow(/1_thing to 2_part.*empty database/)
})

test('a preview of undoing a migration names the column that would be lost, and changes nothing', async () => {
  const more = {
    ...list,
    '3_column': {
      up: (knex: typeof database.db.knex) => knex.schema.alterTable('part', (t) => void t.string('colour')),
      down: (knex: typeof database.db.knex) => knex.schema.alterTable('part', (t) => void t.dropColumn('colour')),
    },
  }
  await migrateUp(database, more, now)
  expect(await previewDown(database, more)).toEqual({ name: '3_column', lost: ['column part.colour with 0 values'] })
  expect(Object.keys(await database.db.knex('part').columnInfo())).toContain('colour')
  expect(await migrateDown(database, more)).toBe('3_column')
})

test('a migration that rebuilds a table keeps the rows that refer to it', async () => {
  await database.transact(async (tx) => {
    await things.insert(tx, row('parent'))
    await tx.knex('part').insert({ id: 'child', thing_id: 'parent' })
  })
  const more = {
    ...list,
    '3_alter': {
      up: (knex: typeof database.db.knex) => knex.schema.alterTable('thing', (t) => t.dropColumn('extra')),
      down: async () => {},
    },
  }
  await migrateUp(database, more, now)
  expect(await database.db.knex('part').where({ id: 'child' })).toHaveLength(1)
})

test(`the tests of this file ran on ${dialect}`, () => expect(database.dialect).toBe(dialect))
