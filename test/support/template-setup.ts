import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrations } from '../../migrations/index.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createSecrets } from '../../src/core/crypto.ts'
import { openDatabase } from '../../src/core/db/database.ts'
import { migrateUp } from '../../src/core/db/migrate.ts'
import { createEvents } from '../../src/core/events/record.ts'
import { systemRandom } from '../../src/core/random.ts'
import { createSignals } from '../../src/core/signals.ts'
import { oidcConfig } from '../../src/oidc/config.ts'
import { createKeys } from '../../src/oidc/keys/service.ts'
import { scratchDirectory } from './scratch.ts'
import { testSecret } from './secret.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated database that tests copy: the path of a SQLite file, or the name of a PostgreSQL database. */
    template: string
    /** The same with signing keys, sealed with `testSecret`: to make them is most of the work of a first start. */
    templateWithKeys: string
  }
}

/** Brings an empty database to the newest schema. */
export const migrateTemplate = async (url: string): Promise<void> => {
  const database = openDatabase({ url, poolMax: 1, synchronous: 'NORMAL' })
  await migrateUp(database, migrations, () => new Date())
  await database.destroy()
}

/** Makes the signing keys of an instance with `testSecret`, as its first start would. */
export const addSigningKeys = async (url: string): Promise<void> => {
  const database = openDatabase({ url, poolMax: 2, synchronous: 'NORMAL' })
  const [clock, random] = [systemClock, systemRandom]
  const secrets = createSecrets([testSecret], random, clock)
  const config = { ...oidcConfig.parse({}), rsaModulusLength: 2048 }
  await createKeys({
    ...database,
    clock,
    secrets,
    config,
    signals: createSignals(random),
    events: createEvents({ clock, random }),
  }).ensure()
  await database.destroy()
}

/** SQLite: two files for the whole run; vitest calls the returned function at the end. */
export default async (project: TestProject) => {
  const directory = scratchDirectory('gatehouse-template-')
  const [file, fileWithKeys] = [join(directory, 'gatehouse.db'), join(directory, 'gatehouse-with-keys.db')]
  await migrateTemplate(`sqlite:${file}`)
  copyFileSync(file, fileWithKeys)
  await addSigningKeys(`sqlite:${fileWithKeys}`)
  project.provide('template', file)
  project.provide('templateWithKeys', fileWithKeys)
  return () => rmSync(directory, { recursive: true, force: true })
}
