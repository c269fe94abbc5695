import * as schema from '../../src/backup/store/schema.ts'
import { compareStore } from '../support/stores.ts'

compareStore(
  'backup/store/schema',
  schema,
  async ({ store, db, seed }) => {
    await seed('user')
    await store.describeTables(db)
    await store.listTableNames(db)
    await store.rowsOf(db, 'select id, cast(null as text) as none from "user" where id = ? or name = ?', ['u', 'ü%_'])
    await store.rowsOf(db, 'select id from "user" where id = ?', ['another'])
    await store.quoted('a "b" c')
    await db.knex.raw(`create table ${schema.quoted('another\'s "table"')} (id varchar(3) primary key)`)
    await store.listTableNames(db)
    await db.knex.raw('create table keyless (id varchar(3))')
    await store.describeTables(db).catch(() => undefined)
    await db.knex.raw('drop table keyless')
    await db.knex.raw('create table odd (id varchar(3) primary key, worth numeric)')
    await store.describeTables(db).catch(() => undefined)
    await db.knex.raw('drop table odd')
  },
  { unordered: ['listTableNames'] },
)
