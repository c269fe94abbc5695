import type { TestProject } from 'vitest/node'
import { skipWhenAbsent } from './absent.ts'
import { startPgBouncer } from './pgbouncer.ts'
import postgresSetup from './postgres-setup.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of PgBouncer in front of the PostgreSQL of `pgUrl`. Only in the project `pooler`. */
    poolerUrl: string
  }
}

/** Sets up the PostgreSQL of the project `postgres` with PgBouncer in front. */
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
