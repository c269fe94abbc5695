import type { Clock } from '../../core/clock.ts'
import type { Secrets } from '../../core/crypto.ts'
import { type Db, type Transact, uniqueViolation } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { billingErrors } from '../errors.ts'
import { configuredEndpoint, keysOf, mostSecrets, secretProblem } from './rules.ts'
import * as store from './store/endpoints.ts'
import { createVerifier, type Verifier } from './verify.ts'

/** Where a sender posts to, without its secrets. */
export interface WebhookEndpoint {
  readonly name: string
  readonly secrets: number
  /** True when secrets of it stand in the configuration: `list` and `serve` read the same one. */
  readonly isConfigured: boolean
  readonly createdAt: Date | null
  readonly updatedAt: Date | null
}

/** A secret as it is shown once. */
export interface GivenSecret {
  readonly name: string
  readonly secret: string
}

export interface Endpoints {
  /** What verifies deliveries to an endpoint, from memory; undefined when there is no such endpoint. */
  verifierOf(name: string): Promise<Verifier | undefined>
  /** For the simulator, which signs as the sender does. */
  newestSecret(name: string): Promise<string | undefined>
  /** Takes over what another node or the command line has changed. */
  refresh(): Promise<void>
  list(): Promise<readonly WebhookEndpoint[]>
  /** Throws WEBHOOK_ENDPOINT_ALREADY_EXISTS and what is wrong with the secret; makes one when none is given. */
  add(name: string, secret: string | undefined): Promise<GivenSecret>
  /** Puts a secret in front of those there are, which stay valid. Throws WEBHOOK_ENDPOINT_NOT_FOUND, TOO_MANY_WEBHOOK_SECRETS. */
  addSecret(name: string, secret: string | undefined): Promise<GivenSecret>
  /** Takes all secrets away but the newest. Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
  dropOldSecrets(name: string): Promise<void>
  /** Throws WEBHOOK_ENDPOINT_NOT_FOUND. What it has delivered stays. */
  remove(name: string): Promise<void>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly secrets: Secrets
  readonly config: { readonly secrets?: readonly string[] | undefined }
}

export const createEndpoints = ({ db, transact, clock, entropy, secrets, config }: Deps): Endpoints => {
  let known: Promise<ReadonlyMap<string, Verifier>> | undefined

  const open = ({ name, secrets: sealed }: store.EndpointRow) =>
    JSON.parse(secrets.open(sealed, store.contextOf(name))) as readonly string[]
  const seal = (name: string, list: readonly string[]) => secrets.seal(JSON.stringify(list), store.contextOf(name))

  const load = async (): Promise<ReadonlyMap<string, Verifier>> => {
    const stored = (await store.listEndpoints(db)).map((row) => [row.name, open(row)] as const)
    const lists = new Map(stored)
    if (config.secrets !== undefined) lists.set(configuredEndpoint, [...config.secrets, ...(lists.get(configuredEndpoint) ?? [])])
    return new Map([...lists].map(([name, list]) => [name, createVerifier(list.flatMap(keysOf))]))
  }
  const refresh = async () => {
    const fresh = await load()
    known = Promise.resolve(fresh)
  }

  const checked = (secret = `whsec_${entropy.bytes(32).toString('base64')}`) => {
    const problem = secretProblem(secret)
    if (problem !== undefined) throw problem
    return secret
  }
  /** Changes the list of secrets; of two that change it at once the second sees what the first made of it. */
  const change = async (name: string, edit: (list: readonly string[]) => readonly string[]) => {
    const changed = await transact(async (tx) => {
      const row = await store.findEndpoint(tx, name)
      if (row === undefined) throw billingErrors.refuse('WEBHOOK_ENDPOINT_NOT_FOUND')
      return store.updateSecrets(tx, name, row.secrets, seal(name, edit(open(row))), clock.now())
    })
    if (!changed) await change(name, edit)
  }

  return {
    refresh,
    verifierOf: async (name) => {
      known ??= load().catch((error: unknown) => {
        known = undefined
        throw error
      })
      return (await known).get(name)
    },
    newestSecret: async (name) => {
      if (name === configuredEndpoint && config.secrets !== undefined) return config.secrets[0]
      const row = await store.findEndpoint(db, name)
      return row === undefined ? undefined : open(row)[0]
    },
    list: async () => {
      const rows = (await store.listEndpoints(db)).map((row) => ({ ...row, secrets: open(row).length, isConfigured: false }))
      if (config.secrets === undefined) return rows
      const polar = rows.find(({ name }) => name === configuredEndpoint)
      const configured = {
        name: configuredEndpoint,
        secrets: config.secrets.length + (polar?.secrets ?? 0),
        isConfigured: true,
        createdAt: polar?.createdAt ?? null,
        updatedAt: polar?.updatedAt ?? null,
      }
      return [configured, ...rows.filter((row) => row !== polar)]
    },
    add: async (name, given) => {
      const secret = checked(given)
      const now = clock.now()
      try {
        await transact((tx) => store.insertEndpoint(tx, { name, secrets: seal(name, [secret]), createdAt: now, updatedAt: now }))
      } catch (error) {
        if (uniqueViolation(error) === undefined) throw error
        throw billingErrors.refuse('WEBHOOK_ENDPOINT_ALREADY_EXISTS')
      }
      return { name, secret }
    },
    addSecret: async (name, given) => {
      const secret = checked(given)
      await change(name, (list) => {
        if (list.length >= mostSecrets) throw billingErrors.refuse('TOO_MANY_WEBHOOK_SECRETS')
        return [secret, ...list]
      })
      return { name, secret }
    },
    dropOldSecrets: (name) => change(name, (list) => list.slice(0, 1)),
    remove: async (name) => {
      if (!(await transact((tx) => store.deleteEndpoint(tx, name)))) throw billingErrors.refuse('WEBHOOK_ENDPOINT_NOT_FOUND')
    },
  }
}
