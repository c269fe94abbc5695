/** The statements that a piece of work sends to the database, without those of jobs and of requests that began before it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Server } from 'node:http'
import type { TestApp } from './app.ts'

export interface Statement {
  readonly sql: string
  readonly bindings: readonly unknown[]
}

/** The recording that code runs for. Jobs run for none: timers keep what they were started in, and a request that has ended records nothing. */
const runningFor = new AsyncLocalStorage<symbol | undefined>()
let underWay: symbol | undefined

/** Lets `statementsOf` tell what the requests to this server send from what jobs send at the same time. */
export const attributeRequests = <S extends Server>(server: S): S => {
  const { emit } = server
  server.emit = (name: string | symbol, ...values: readonly unknown[]) => {
    const send = () => Reflect.apply(emit, server, [name, ...values])
    return name === 'request' ? runningFor.run(underWay, send) : send()
  }
  return server
}

/** Runs `work`. `isPart`, which it gets, answers whether code runs for it, in a request to a server too; one such piece of work at a time. */
export const attributed = async <T>(work: (isPart: () => boolean) => Promise<T>): Promise<T> => {
  const recording = Symbol('recording')
  underWay = recording
  try {
    return await runningFor.run(recording, () => work(() => runningFor.getStore() === recording))
  } finally {
    underWay = undefined
  }
}

/** What the work asks the database of the app, by calls to its server or by itself, in order. */
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
