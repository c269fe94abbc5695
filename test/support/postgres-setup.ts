import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import knex from 'knex'
import type { TestProject } from 'vitest/node'
import { skipWhenAbsent } from './absent.ts'
import { startPostgres } from './postgres.ts'
import { scratchDirectory } from './scratch.ts'
import { migrateTemplate, startOnce } from './template-setup.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a PostgreSQL superuser. Only in the project `postgres`. */
    pgUrl: string
  }
}

/**
 * Starts one server for all files of the project, with two migrated databases to copy and a migrated SQLite file to compare with. vitest
 * calls the returned function at the end.
 */
export default async (project: TestProject) => {
  const given = process.env['TEST_DATABASE_URL']
  const directory = scratchDirectory('gatehouse-template-')
  const removeFiles = () => rmSync(directory, { recursive: true, force: true })
  const sqliteFile = join(directory, 'gatehouse.db')
  const [started, migrated] = await Promise.allSettled([
    given === undefined ? skipWhenAbsent(project, startPostgres) : { url: given, pid: 0, stop: async () => {} },
    migrateTemplate(`sqlite:${sqliteFile}`),
  ])
  const server = started.status === 'fulfilled' ? started.value : undefined
  for (const one of [started, migrated])
    if (one.status === 'rejected') {
      await server?.stop()
      removeFiles()
      throw one.reason
    }
  if (server === undefined) {
    removeFiles()
    return undefined
  }
  project.provide('pgUrl', server.url)
  const superuser = knex({ client: 'pg', connection: server.url, pool: { min: 0, max: 1 } })
  const template = `template_${randomBytes(8).toString('hex')}`
  const templateWithKeys = `${template}_with_keys`
  const addressOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  project.provide('sqliteTemplate', sqliteFile)
  await superuser.raw(`create database ${template}`)
  await migrateTemplate(addressOf(template))
  await superuser.raw(`create database ${templateWithKeys} template ${template}`)
  await startOnce(addressOf(templateWithKeys))
  project.provide('template', template)
  project.provide('templateWithKeys', templateWithKeys)
  return async () => {
    for (const name of [template, templateWithKeys]) await superuser.raw(`drop database ${name}`)
    await superuser.destroy()
    await server.stop()
    removeFiles()
  }
}
