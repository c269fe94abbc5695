import { prefixOf } from './key-text.ts'
import { isOver } from './rules.ts'
import type * as store from './store.ts'

export interface Secret {
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
}

/** An API key without the text of its secrets. */
export interface ApiKey extends Omit<store.KeyRow, 'permissions' | 'allowedNetworks'> {
  readonly prefix: string
  readonly permissions: string[]
  readonly allowedNetworks: string[]
  readonly lastUsedAt: Date | null
  /** The secrets of the API key, the newest first. */
  readonly secrets: Secret[]
}

/** An API key as answers show it, with those of its secrets that are valid at `now`. */
export const shown = (key: store.KeyRow, secrets: readonly store.SecretRow[], now: Date): ApiKey => {
  const own = secrets.filter(({ keyId }) => keyId === key.id)
  const uses = own.flatMap(({ lastUsedAt }) => (lastUsedAt === null ? [] : [lastUsedAt.getTime()]))
  return {
    ...key,
    permissions: [...key.permissions],
    allowedNetworks: [...key.allowedNetworks],
    prefix: prefixOf(key.ownerKind, key.id),
    lastUsedAt: uses.length === 0 ? null : new Date(Math.max(...uses)),
    secrets: own
      .filter(({ expiresAt }) => !isOver(expiresAt, now))
      .map(({ createdAt, expiresAt, lastUsedAt }) => ({ createdAt, expiresAt, lastUsedAt })),
  }
}
