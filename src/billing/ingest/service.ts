import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { createGroupCommit } from '../../core/db/batch.ts'
import type { Tx } from '../../core/db/database.ts'
import { AppError } from '../../core/errors.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { daySeconds } from '../../core/time.ts'
import type { Tally } from '../../statistics/index.ts'
import type { BillingConfig } from '../config.ts'
import { billingErrors } from '../errors.ts'
import { type ParseResult, parseBody } from '../events/parse.ts'
import type { Outcome } from '../state/rules.ts'
import type { InboundEvent, StateService } from '../state/service.ts'
import { lockCustomers } from '../state/store/entities.ts'
import type { Rejections } from './rejections.ts'
import { parseError } from './rules.ts'
import * as store from './store/deliveries.ts'
import { type Headers, readHeaders, type Verifiers } from './verify.ts'

/** What happened to a delivery that was received. */
export type Receipt = 'accepted' | 'duplicate' | 'quarantined'

export interface Ingestion {
  /**
   * Checks the endpoint and the headers of a delivery, before its body is read. Throws WEBHOOK_ENDPOINT_NOT_FOUND,
   * MISSING_REQUIRED_HEADERS, INVALID_SIGNATURE_HEADERS, MESSAGE_TIMESTAMP_TOO_OLD and MESSAGE_TIMESTAMP_TOO_NEW.
   */
  checkHeaders(context: RequestContext, endpoint: string, headers: Headers): Promise<void>
  /**
   * Verifies, stores and applies a delivery, and resolves after the commit. Throws the errors of `checkHeaders` and
   * NO_MATCHING_SIGNATURE_FOUND. For a delivery that it put into quarantine, throws FAILED_TO_PARSE_EVENT or UNKNOWN_EVENT_TYPE.
   */
  receive(principal: Principal, endpoint: string, headers: Headers, body: Buffer): Promise<Receipt>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'single' | 'clock' | 'random' | 'log'> {
  readonly config: Pick<BillingConfig, 'toleranceSeconds' | 'onInvalid'>
  readonly verifiers: Verifiers
  readonly rejections: Rejections
  readonly state: Pick<StateService, 'apply'>
  readonly tally?: Tally | undefined
}

/** A verified delivery as the row that will be stored, and its parsed body. */
interface InboundDelivery {
  readonly row: store.DeliveryRow
  readonly result: ParseResult
}

const longestId = 255

/**
 * The headers of a delivery without signatures and cookies. A signature is of no use after it is checked, and a cookie may give access to
 * something.
 */
const storedHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'user-agent', 'content-type'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value.slice(0, 512)]] : []
    }),
  )

/**
 * A longer time between an event and its delivery is not measured, because then the platform has sent an old delivery again, or the time
 * in the body is not the time of the event.
 */
const longestLagSeconds = 7 * daySeconds
/** Seconds between an event and its delivery. */
const lagSeconds = (receivedAt: Date, eventAt: string | null): number => {
  const seconds = eventAt === null ? 0 : (receivedAt.getTime() - Date.parse(eventAt)) / 1000
  return seconds > 0 && seconds < longestLagSeconds ? seconds : 0
}

const byWebhookId = (a: store.DeliveryRow, b: store.DeliveryRow) => (a.webhookId < b.webhookId ? -1 : 1)

/**
 * Applies the events of deliveries that were stored with the outcome `applied`. If an event had no effect, corrects the outcome of its
 * delivery.
 */
export const applyEvents = async (
  tx: Tx,
  state: Pick<StateService, 'apply'>,
  events: readonly InboundEvent[],
): Promise<readonly Outcome[]> => {
  const outcomes = await state.apply(tx, events)
  for (const outcome of ['superseded', 'ignored'] as const) {
    const ids = events.flatMap(({ delivery }, i) => (outcomes[i] === outcome ? [delivery.id] : []))
    if (ids.length > 0) await store.updateOutcomes(tx, ids, outcome)
  }
  return outcomes
}

export const createIngestion = (deps: Deps): Ingestion => {
  const { db, transact, single, clock, random, log, config, verifiers, rejections, state, tally } = deps

  const verifierOf = async (endpoint: string) => {
    const verifier = await verifiers.of(endpoint)
    if (verifier === undefined) throw billingErrors.error('WEBHOOK_ENDPOINT_NOT_FOUND')
    return verifier
  }
  const recordingRejection = <T>({ address }: RequestContext, endpoint: string, check: () => T): T => {
    try {
      return check()
    } catch (error) {
      if (error instanceof AppError) rejections.record(endpoint, error.code, address)
      throw error
    }
  }

  /**
   * Handles a delivery whose webhook id is already stored. A delivery in quarantine is parsed again. Any other delivery is only counted
   * as received once more.
   */
  const handleDuplicate = async (tx: Tx, { row, result }: InboundDelivery): Promise<Receipt> => {
    const stored = await store.findByWebhookId(tx, row.endpoint, row.webhookId)
    if (stored === undefined) return 'duplicate'
    const { id, receivedAt, attempts, dismissedAt } = stored
    if (stored.status !== 'quarantined') {
      await store.countAttempt(tx, id)
      return 'duplicate'
    }
    const delivery = { ...row, id, receivedAt, dismissedAt, attempts: attempts + 1 }
    await store.updateQuarantined(tx, id, delivery)
    if (row.customerId !== null && (await store.isForgotten(tx, row.customerId))) {
      await store.removeContent(tx, { id })
      return 'accepted'
    }
    if (!result.ok) return 'quarantined'
    await applyEvents(tx, state, [{ event: result.event, delivery }])
    return 'accepted'
  }

  /**
   * Stores and applies deliveries. For a delivery, returns undefined if another transaction has locked its customer, or if it is a
   * duplicate. Such a delivery is passed again alone.
   */
  const storeAndApply = async (
    tx: Tx,
    deliveries: readonly InboundDelivery[],
    isAlone: boolean,
  ): Promise<readonly (Receipt | undefined)[]> => {
    const customerIds = new Set(deliveries.flatMap(({ row }) => row.customerId ?? []))
    // The customers are locked before any write, because `forget-customer` takes the same lock.
    const locked = await lockCustomers(tx, [...customerIds], { wait: isAlone })
    const isLocked = ({ customerId }: store.DeliveryRow) => customerId === null || locked.has(customerId)
    const rows = deliveries.map(({ row }) => row).filter(isLocked)
    const inserted = await store.insertDeliveries(tx, rows.sort(byWebhookId))
    const receipts: (Receipt | undefined)[] = []
    const events: InboundEvent[] = []
    for (const delivery of deliveries) {
      const { row, result } = delivery
      const isForgotten = inserted.get(row.id)
      if (isForgotten === true) await store.removeContent(tx, { id: row.id })
      else if (isForgotten === false && result.ok) events.push({ event: result.event, delivery: row })
      if (isForgotten === undefined)
        receipts.push(deliveries.length === 1 && isLocked(row) ? await handleDuplicate(tx, delivery) : undefined)
      else receipts.push(isForgotten || result.ok ? 'accepted' : 'quarantined')
    }
    await applyEvents(tx, state, events)
    return receipts
  }

  const commit = createGroupCommit({
    ...{ db, transact, single, work: storeAndApply },
    keysOf: ({ row }: InboundDelivery) => (row.customerId === null ? [] : [row.customerId]),
    // A transaction for several deliveries costs less than one transaction each. A second transaction starts beside a running one only
    // when 50 deliveries wait.
    ...{ concurrency: 2, startAt: 50, delayMs: 2 },
  })

  return {
    checkHeaders: async (context, endpoint, headers) => {
      await verifierOf(endpoint)
      recordingRejection(context, endpoint, () => readHeaders(headers, clock.now(), config.toleranceSeconds))
    },
    receive: async (principal, endpoint, headers, body) => {
      const verify = await verifierOf(endpoint)
      const { webhookId } = recordingRejection(principal, endpoint, () =>
        verify(headers, body, clock.now(), config.toleranceSeconds),
      )
      if (webhookId.length > longestId) {
        const issues = [{ path: 'webhook-id', expected: `at most ${longestId} characters`, received: String(webhookId.length) }]
        throw parseError({ ok: false, message: 'Failed to parse event', issues })
      }
      const { result, ...about } = parseBody(body)
      const now = clock.now()
      const row: store.DeliveryRow = {
        ...about,
        id: random.id(),
        endpoint,
        webhookId,
        receivedAt: now,
        headers: storedHeaders(headers),
        body,
        bodySha256: sha256(body),
        status: result.ok ? 'accepted' : 'quarantined',
        // Nearly every event has the outcome `applied`. Storing it at once saves a second write. `applyEvents` corrects the outcome of
        // events without an effect.
        outcome: result.ok ? 'applied' : null,
        issues: result.ok ? [] : result.issues,
        attempts: 1,
        appliedAt: result.ok ? now : null,
        dismissedAt: null,
      }
      const receipt = await commit({ row, result })
      if (receipt === 'accepted') tally?.highest('webhookLag', endpoint, lagSeconds(now, about.eventAt))
      if (receipt !== 'quarantined' || result.ok) return receipt
      const error = parseError(result)
      log.warn(
        { endpoint, webhookId, refused: error.message, issues: result.issues.slice(0, 5).map(({ path }) => path) },
        'a signed billing event was not understood and is kept: replay-delivery applies it once it is',
      )
      if (config.onInvalid === 'quarantine') throw error
      return receipt
    },
  }
}
