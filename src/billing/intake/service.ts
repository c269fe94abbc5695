import type { Caller, Source, SystemCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Db, Transact } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { BillingConfig } from '../config.ts'
import { billingErrors } from '../errors.ts'
import type { EventIssue, Parsed } from '../events/parse.ts'
import type { Effect, Projection } from '../projection/service.ts'
import { lockCustomer } from '../projection/store/entities.ts'
import type { Endpoints } from './endpoints.ts'
import { judge } from './judge.ts'
import { createKeeping, type Outcome } from './keeping.ts'
import type { Refusals } from './refusals.ts'
import * as store from './store/deliveries.ts'
import { tracesOf } from './traces.ts'
import { type Headers, readHeaders, type Verified } from './verify.ts'

export interface Intake {
  /**
   * What can be said of a delivery before its body is read. Throws WEBHOOK_ENDPOINT_NOT_FOUND and the refusals of missing or wrong headers
   * and of a time that is too far away.
   */
  checkHeaders(source: Source, endpoint: string, headers: Headers): Promise<void>
  /**
   * Verifies, stores and applies a delivery; once it returns, all of it is committed. Throws WEBHOOK_ENDPOINT_NOT_FOUND, the five
   * refusals of an unverifiable delivery, and for what is kept in quarantine FAILED_TO_PARSE_EVENT or UNKNOWN_EVENT_TYPE.
   */
  receive(caller: Caller, endpoint: string, headers: Headers, body: Buffer): Promise<Outcome>
  /** Newest first, without bodies. `after`: the id the page before ended with. Throws DELIVERY_NOT_FOUND. */
  list(filter: store.DeliveryFilter, limit: number, after?: string): Promise<readonly store.ListedDelivery[]>
  /** Judges and applies a stored delivery again. Throws DELIVERY_NOT_FOUND, DELIVERY_WAS_REMOVED, and what `receive` throws. */
  replay(id: string): Promise<Effect>
  /** Gives up on a delivery in quarantine: retention may delete it. Throws DELIVERY_NOT_FOUND and DELIVERY_IS_NOT_QUARANTINED. */
  dismiss(caller: SystemCaller, id: string): Promise<Date>
  /** Removes all that is known of a customer, for good. Number of deliveries that were emptied. Throws CUSTOMER_NOT_FOUND. */
  forgetCustomer(customerId: string): Promise<number>
  /** Deletes what is older than `billing.retentionDays` and nothing rests on, except what is in quarantine and was not dismissed. */
  sweep(): Promise<void>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly config: BillingConfig
  readonly endpoints: Endpoints
  readonly refusals: Refusals
  readonly projection: Projection
}

const effectOf = ([effect = 'ignored']: readonly Effect[]): Effect => effect

const sweepBatch = 500
const longestId = 255

const refusalOf = ({ message, issues }: Extract<Parsed, { ok: false }>): AppError =>
  billingErrors.refuse(message.startsWith('Unknown event type') ? 'UNKNOWN_EVENT_TYPE' : 'FAILED_TO_PARSE_EVENT', {
    message,
    ...(issues.length === 0
      ? {}
      : { issues: issues.map((issue) => ({ ...issue, message: `expected ${issue.expected}, received ${issue.received}` })) }),
  })

/** Signature and cookies stay out: they are worth something, or nothing. */
const keptHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'user-agent', 'content-type'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value.slice(0, 512)]] : []
    }),
  )

export const createIntake = (deps: Deps): Intake => {
  const { db, transact, clock, entropy, log, config, endpoints, refusals, projection } = deps

  const verifierOf = async (endpoint: string) => {
    const verifier = await endpoints.verifierOf(endpoint)
    if (verifier === undefined) throw billingErrors.refuse('WEBHOOK_ENDPOINT_NOT_FOUND')
    return verifier
  }
  /** Notes what is refused. */
  const judging = <T>({ address }: Source, endpoint: string, work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (error instanceof AppError) refusals.note(endpoint, error.code, address)
      throw error
    }
  }
  const verify = async (caller: Caller, endpoint: string, headers: Headers, body: Buffer): Promise<Verified> => {
    const verifier = await verifierOf(endpoint)
    return judging(caller, endpoint, () => verifier(headers, body, clock.now(), config.toleranceSeconds))
  }

  const keeping = createKeeping({ db, transact, projection })

  /** Those of the deliveries that nothing rests on. */
  const looseOf = async (db: Db, ids: readonly string[]): Promise<readonly string[]> => {
    const resting = await projection.restsOn(db, ids)
    return ids.filter((id) => !resting.has(id))
  }

  const quarantined = (endpoint: string, webhookId: string, refusal: AppError, issues: readonly EventIssue[]) =>
    log.warn(
      { endpoint, webhookId, refused: refusal.message, issues: issues.slice(0, 5).map(({ path }) => path) },
      'a signed billing event was not understood and is kept: replay-delivery applies it once it is',
    )

  return {
    checkHeaders: async (source, endpoint, headers) => {
      await verifierOf(endpoint)
      judging(source, endpoint, () => readHeaders(headers, clock.now(), config.toleranceSeconds))
    },
    receive: async (caller, endpoint, headers, body) => {
      const { webhookId } = await verify(caller, endpoint, headers, body)
      if (webhookId.length > longestId) {
        const issues = [{ path: 'webhook-id', expected: `at most ${longestId} characters`, received: String(webhookId.length) }]
        throw refusalOf({ ok: false, message: 'Failed to parse event', issues })
      }
      const judged = judge(body)
      const { parsed, ...told } = judged
      const now = clock.now()
      const row: store.DeliveryRow = {
        ...told,
        id: entropy.id(),
        endpoint,
        webhookId,
        receivedAt: now,
        headers: keptHeaders(headers),
        body,
        bodySha256: sha256(body),
        verdict: parsed.ok ? 'accepted' : 'quarantined',
        // What nearly every event has; the others are corrected.
        effect: parsed.ok ? 'applied' : null,
        issues: parsed.ok ? [] : parsed.issues,
        attempts: 1,
        appliedAt: parsed.ok ? now : null,
        dismissedAt: null,
      }
      const outcome = await keeping.keep({ row, judged })
      if (outcome !== 'quarantined' || parsed.ok) return outcome
      const refusal = refusalOf(parsed)
      quarantined(endpoint, webhookId, refusal, parsed.issues)
      if (config.onInvalid === 'quarantine') throw refusal
      return outcome
    },
    list: async (filter, limit, after) => {
      const behind = after === undefined ? undefined : await store.findDelivery(db, after)
      if (after !== undefined && behind === undefined) throw billingErrors.refuse('DELIVERY_NOT_FOUND')
      return store.listDeliveries(db, filter, behind, limit)
    },
    replay: async (id) => {
      const row = await store.findDelivery(db, id)
      if (row === undefined) throw billingErrors.refuse('DELIVERY_NOT_FOUND')
      const { parsed, ...told } = judge(row.body)
      if (row.verdict === 'removed') throw billingErrors.refuse('DELIVERY_WAS_REMOVED')
      if (!parsed.ok) {
        await transact((tx) => store.updateQuarantined(tx, id, { ...told, issues: parsed.issues }))
        throw refusalOf(parsed)
      }
      return transact(async (tx) => {
        if (told.customerId !== null) await lockCustomer(tx, told.customerId)
        const patch = { ...told, verdict: 'accepted', effect: 'applied', issues: [], appliedAt: clock.now() } as const
        const { event } = parsed
        if (await store.updateQuarantined(tx, id, patch)) return effectOf(await keeping.apply(tx, [{ event, delivery: row }]))
        // Read again under the lock: it may have been removed meanwhile. What it did when it came stays as it is noted.
        const current = await store.findDelivery(tx, id)
        if (current?.verdict !== 'accepted') throw billingErrors.refuse('DELIVERY_WAS_REMOVED')
        return effectOf(await projection.apply(tx, [{ event, delivery: current }]))
      })
    },
    dismiss: async (_caller, id) => {
      const dismissedAt = clock.now()
      if (!(await transact((tx) => store.updateQuarantined(tx, id, { dismissedAt }))))
        throw billingErrors.refuse(
          (await store.findDelivery(db, id)) === undefined ? 'DELIVERY_NOT_FOUND' : 'DELIVERY_IS_NOT_QUARANTINED',
        )
      return dismissedAt
    },
    forgetCustomer: async (customerId) => {
      const traces = await tracesOf(db, customerId)
      return transact(async (tx) => {
        await lockCustomer(tx, customerId)
        if (traces.length === 0 && !(await store.isHeardOf(tx, customerId))) throw billingErrors.refuse('CUSTOMER_NOT_FOUND')
        await store.insertForgotten(tx, customerId, clock.now())
        await projection.forget(tx, customerId)
        let emptied = await store.removeContent(tx, { customerId })
        for (const id of traces) emptied += await store.removeContent(tx, { id })
        return emptied
      })
    },
    sweep: async () => {
      if (config.retentionDays === undefined) return
      const before = new Date(clock.now().getTime() - config.retentionDays * 86_400_000)
      for (let after: { receivedAt: Date; id: string } | undefined; ; ) {
        const old = await store.listOld(db, before, after, sweepBatch)
        const loose = await looseOf(
          db,
          old.map(({ id }) => id),
        )
        if (loose.length > 0)
          await transact(async (tx) => {
            // What is being applied at this moment is waited for, and spared.
            await store.lockDeliveries(tx, loose)
            await store.deleteDeliveries(tx, await looseOf(tx, loose))
          })
        if (old.length < sweepBatch) return
        after = old.at(-1)
      }
    },
  }
}
