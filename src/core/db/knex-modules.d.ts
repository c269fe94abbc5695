/** Declares types for modules of knex that have none. `knex-parts.ts` extends classes of these modules. */
declare module 'knex/lib/dialects/postgres/index.js' {
  import { Knex } from 'knex'

  class PostgresClient extends Knex.Client {
    transaction(...args: readonly unknown[]): Knex.Transaction
    acquireRawConnection(): Promise<unknown>
    _query(connection: object, query: { readonly sql: string }): Promise<unknown>
  }
  export = PostgresClient
}

declare module 'knex/lib/dialects/postgres/execution/pg-transaction.js' {
  class PostgresTransaction {
    query(connection: unknown, sql: string, ...rest: readonly unknown[]): Promise<unknown>
  }
  export = PostgresTransaction
}

declare module 'knex/lib/dialects/sqlite3/index.js' {
  import { Knex } from 'knex'

  class SqliteClient extends Knex.Client {
    transaction(...args: readonly unknown[]): Knex.Transaction
    acquireRawConnection(): Promise<unknown>
    _query(connection: object, query: { readonly sql: string }): Promise<unknown>
    destroyRawConnection(connection: object): Promise<void>
  }
  export = SqliteClient
}

declare module 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js' {
  class SqliteTransaction {
    query(connection: unknown, sql: string): Promise<unknown>
    begin(connection: unknown): Promise<unknown>
  }
  export = SqliteTransaction
}
