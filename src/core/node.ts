import { join } from 'node:path'
import type { Clock } from './clock.ts'
import type { CoreConfig } from './config.ts'
import { createSecrets } from './crypto.ts'
import { openDatabase } from './db/database.ts'
import { makeDirectory } from './files.ts'
import type { Log } from './log.ts'
import { masterSecrets } from './master-secret.ts'
import { createMetrics } from './metrics.ts'
import type { Random } from './random.ts'
import { createSecurityLog } from './security-log.ts'
import { createSignals } from './signals.ts'

/** What is different in a test: time, randomness, and where the log is written. */
export interface Surroundings {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * The parts that exist once in a process: database, master secrets with the queue of password hashes, signals and metrics. Features use
 * these parts. When settings change, features are built again, but these parts are not.
 */
export const openNode = (
  config: Pick<CoreConfig, 'dataDir' | 'databaseUrl' | 'database' | 'secret'>,
  { clock, random, log }: Surroundings,
) => {
  const url = config.databaseUrl ?? `sqlite:${join(config.dataDir, 'gatehouse.db')}`
  if (url.startsWith('sqlite:')) makeDirectory(config.dataDir)
  const database = openDatabase({
    ...{ url, ...config.database },
    onError: (err) => log.error({ err }, 'database connection broke'),
  })
  const metrics = createMetrics()
  return {
    ...{ clock, random, log, database, metrics },
    secrets: createSecrets(masterSecrets(config, random), random, clock),
    security: createSecurityLog(log, metrics),
    signals: createSignals(random),
  }
}

export type Node = ReturnType<typeof openNode>
