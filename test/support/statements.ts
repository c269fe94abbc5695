/** Records the statements that a piece of work sends to the database. Statements of jobs, and of requests that began earlier, are left out. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Server } from 'node:http'
import type { TestApp } from './app.ts'

export interface Statement {
  readonly sql: string
  readonly bindings: readonly unknown[]
}

/**
 * The recording to which running code belongs. Jobs belong to none, because timers keep the context in which they were started. A request
 * that has ended records nothing.
 */
const runningFor = new AsyncLocalStorage<symbol | undefined>()
let underWay: symbol | undefined

/** Lets `statementsOf` distinguish statements of requests to this server from statements of jobs at the same time. */
export const attributeRequests = <S extends Server>(server: S): S => {
  const { emit } = server
  server.emit = (name: string | symbol, ...values: readonly unknown[]) => {
    const send = () => Reflect.apply(emit, server, [name, ...values])
    return name === 'request' ? runningFor.run(underWay, send) : send()
  }
  return server
}

/** Runs `work`, one at a time. Its argument `isPart` returns true if the running code belongs to the work, also within a request to a server. */
export const attributed = async <T>(work: (isPart: () => boolean) => Promise<T>): Promise<T> => {
  const recording = Symbol('recording')
  underWay = recording
  try {
    return await runningFor.run(recording, () => work(() => runningFor.getStore() === recording))
  } finally {
    underWay = undefined
  }
}

/** The statements that the work sends to the app's database, directly or by calls to its server, in their order. */
export const statementsOf = (t: TestApp, work: () => Promise<unknown>): Promise<readonly Statement[]> =>
  attributed(async (isPart) => {
    const statements: Statement[] = []
    const note = ({ sql, bindings = [] }: Statement) => {
      if (isPart()) statements.push({ sql, bindings })
    }
    const { knex } = t.app.core.db
    knex.on('query', note)
    try {
      await work()
    } finally {
      knex.off('query', note)
    }
    return statements
  })
