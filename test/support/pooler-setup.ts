import type { TestProject } from 'vitest/node'
import { skipWhenAbsent } from './absent.ts'
import { startPgBouncer } from './pgbouncer.ts'
import postgresSetup from './postgres-setup.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of PgBouncer before the PostgreSQL of `pgUrl`, in the `pooler` project only. */
    poolerUrl: string
  }
}

/** The PostgreSQL of the project `postgres`, with PgBouncer before it. */
export default async (project: TestProject) => {
  const stopPostgres = await postgresSetup(project)
  if (stopPostgres === undefined) return undefined
  const pooler = await skipWhenAbsent(project, () => startPgBouncer(project.getProvidedContext().pgUrl))
  if (pooler === undefined) return stopPostgres
  project.provide('poolerUrl', pooler.url)
  return async () => {
    await pooler.stop()
    await stopPostgres()
  }
}
