import type { TestProject } from 'vitest/node'
import { skipWhenAbsent } from './absent.ts'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a PostgreSQL superuser, in the `postgres` project only. */
    pgUrl: string
  }
}

/** One server for all files of the `postgres` project; vitest calls the returned function at the end. */
export default async (project: TestProject) => {
  const given = process.env['TEST_DATABASE_URL']
  const server = given === undefined ? await skipWhenAbsent(project, startPostgres) : { url: given, stop: async () => {} }
  if (server === undefined) return undefined
  project.provide('pgUrl', server.url)
  return server.stop
}
