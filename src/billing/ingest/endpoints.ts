import { can } from '../../access/can.ts'
import type { PermittedPrincipal, RequireAlive } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { safeEqual } from '../../core/crypto.ts'
import { uniqueViolation } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { billingErrors } from '../errors.ts'
import { ingestEvents } from './contract.ts'
import { configuredEndpoint, maxSecrets, secretProblem } from './rules.ts'
import * as store from './store/endpoints.ts'

/** An endpoint for signed billing events, without its secrets. */
export interface WebhookEndpoint {
  readonly name: string
  readonly secrets: number
  /** True if the configuration contains secrets of this endpoint. */
  readonly isConfigured: boolean
  readonly createdAt: Date | null
  readonly updatedAt: Date | null
}

/** A new secret. It is shown only once. */
export interface IssuedSecret {
  readonly name: string
  readonly secret: string
}

/** Administration of webhook endpoints. */
export interface Endpoints {
  /** The newest secret of an endpoint. The simulator signs with it, as the billing platform does. */
  newestSecret(name: string): Promise<string | undefined>
  /**
   * How many secrets an endpoint in the database has, and whether `secret` is one of them. Undefined if the database has no endpoint of
   * this name.
   */
  find(name: string, secret: string): Promise<{ readonly secrets: number; readonly isKnown: boolean } | undefined>
  list(): Promise<readonly WebhookEndpoint[]>
  /**
   * Adds an endpoint. If `secret` is undefined, makes a random secret. Throws WEBHOOK_ENDPOINT_ALREADY_EXISTS, SECRET_CANT_BE_EMPTY,
   * SECRET_TOO_SHORT.
   */
  add(principal: PermittedPrincipal, name: string, secret: string | undefined): Promise<IssuedSecret>
  /** Adds a newest secret to an endpoint. Its older secrets stay valid. Throws WEBHOOK_ENDPOINT_NOT_FOUND, TOO_MANY_WEBHOOK_SECRETS. */
  addSecret(principal: PermittedPrincipal, name: string, secret: string | undefined): Promise<IssuedSecret>
  /** Deletes all secrets of an endpoint except the newest. Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
  dropOldSecrets(principal: PermittedPrincipal, name: string): Promise<void>
  /** Deletes an endpoint but not the deliveries that it received. Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
  remove(principal: PermittedPrincipal, name: string): Promise<void>
}

/** The job that reloads the verifiers on every node. */
export const endpointsJob = 'billing.endpoints'

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets' | 'signals' | 'events'> {
  readonly config: { readonly secrets?: readonly string[] | undefined }
  readonly requireAlive: RequireAlive
}

export const createEndpoints = (deps: Deps): Endpoints => {
  const { db, transact, clock, random, secrets, signals, events, config, requireAlive } = deps
  const open = (row: store.EndpointRow) => store.openSecrets(secrets, row)
  const seal = (name: string, list: readonly string[]) => store.sealSecrets(secrets, name, list)

  const checked = (secret = `whsec_${random.bytes(32).toString('base64')}`) => {
    const problem = secretProblem(secret)
    if (problem !== undefined) throw problem
    return secret
  }
  const require = (principal: PermittedPrincipal) => {
    if (!can(principal, 'webhook-endpoints:update')) throw coreErrors.error('FORBIDDEN')
  }
  /** Changes the stored secrets of an endpoint. If another transaction has changed them meanwhile, reads them again and repeats the edit. */
  const change = async (principal: PermittedPrincipal, name: string, edit: (list: readonly string[]) => readonly string[]) => {
    require(principal)
    const changed = await transact(async (tx) => {
      await requireAlive(tx, principal)
      const row = await store.findEndpoint(tx, name)
      if (row === undefined) throw billingErrors.error('WEBHOOK_ENDPOINT_NOT_FOUND')
      await signals.wake(tx, endpointsJob)
      if (!(await store.updateSecrets(tx, name, row.secrets, seal(name, edit(open(row))), clock.now()))) return false
      await events.record(tx, principal, ingestEvents['endpoint.keys_changed'], { subject: name, data: {} })
      return true
    })
    if (!changed) await change(principal, name, edit)
  }

  return {
    newestSecret: async (name) => {
      if (name === configuredEndpoint && config.secrets !== undefined) return config.secrets[0]
      const row = await store.findEndpoint(db, name)
      return row === undefined ? undefined : open(row)[0]
    },
    find: async (name, secret) => {
      const row = await store.findEndpoint(db, name)
      if (row === undefined) return undefined
      const list = open(row)
      return { secrets: list.length, isKnown: list.some((one) => safeEqual(one, secret)) }
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
    add: async (principal, name, given) => {
      require(principal)
      const secret = checked(given)
      const now = clock.now()
      try {
        await transact(async (tx) => {
          await requireAlive(tx, principal)
          await store.insertEndpoint(tx, { name, secrets: seal(name, [secret]), createdAt: now, updatedAt: now })
          await events.record(tx, principal, ingestEvents['endpoint.created'], { subject: name, data: {} })
          await signals.wake(tx, endpointsJob)
        })
      } catch (error) {
        if (uniqueViolation(error) === undefined) throw error
        throw billingErrors.error('WEBHOOK_ENDPOINT_ALREADY_EXISTS')
      }
      return { name, secret }
    },
    addSecret: async (principal, name, given) => {
      const secret = checked(given)
      await change(principal, name, (list) => {
        if (list.length >= maxSecrets) throw billingErrors.error('TOO_MANY_WEBHOOK_SECRETS')
        return [secret, ...list]
      })
      return { name, secret }
    },
    dropOldSecrets: (principal, name) => change(principal, name, (list) => list.slice(0, 1)),
    remove: async (principal, name) => {
      require(principal)
      await transact(async (tx) => {
        await requireAlive(tx, principal)
        if (!(await store.deleteEndpoint(tx, name))) throw billingErrors.error('WEBHOOK_ENDPOINT_NOT_FOUND')
        await events.record(tx, principal, ingestEvents['endpoint.deleted'], { subject: name, data: {} })
        await signals.wake(tx, endpointsJob)
      })
    },
  }
}
