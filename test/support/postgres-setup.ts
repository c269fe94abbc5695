import { randomBytes } from 'node:crypto'
import { knex } from 'knex'
import type { TestProject } from 'vitest/node'
import { skipWhenAbsent } from './absent.ts'
import { startPostgres } from './postgres.ts'
import { migrateTemplate } from './template-setup.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a PostgreSQL superuser, in the `postgres` project only. */
    pgUrl: string
  }
}

/** One server and one migrated database to copy for all files of the project; vitest calls the returned function at the end. */
export default async (project: TestProject) => {
  const given = process.env['TEST_DATABASE_URL']
  const server = given === undefined ? await skipWhenAbsent(project, startPostgres) : { url: given, pid: 0, stop: async () => {} }
  if (server === undefined) return undefined
  project.provide('pgUrl', server.url)
  const template = `template_${randomBytes(8).toString('hex')}`
  const superuser = knex({ client: 'pg', connection: server.url, pool: { min: 0, max: 1 } })
  await superuser.raw(`create database ${template}`)
  const url = new URL(server.url)
  url.pathname = `/${template}`
  await migrateTemplate(url.href)
  project.provide('template', template)
  return async () => {
    await superuser.raw(`drop database ${template}`)
    await superuser.destroy()
    await server.stop()
  }
}
