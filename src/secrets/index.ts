import type { Clock } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Db, Transact } from '../core/database.ts'
import type { SealedColumn } from '../core/table.ts'
import type { Feature } from '../feature.ts'
import { secretErrors } from './errors.ts'
import { createMasterSecrets, type MasterSecrets } from './service.ts'

export type { MasterSecrets }

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly secrets: Secrets
  /** Of all features. */
  readonly columns: readonly SealedColumn[]
}

/** The master secrets of this instance: which of them signs, which only open, and what is sealed with which. */
export const secretsFeature = (deps: Deps): Feature & { api: MasterSecrets } => {
  const api = createMasterSecrets(deps)
  return {
    api,
    errors: secretErrors.table,
    prepare: api.start,
    jobs: [{ name: 'secrets.note', everyMs: 60_000, run: api.refresh }],
  }
}
