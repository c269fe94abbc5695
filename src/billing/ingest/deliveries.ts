import { can } from '../../access/can.ts'
import type { PermittedPrincipal, Principal, RequireAlive } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Total } from '../../core/db/count.ts'
import { type Db, isUnavailable } from '../../core/db/database.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import { parseExactJson } from '../../core/exact-json.ts'
import { cursorOf, placedPage } from '../../core/page.ts'
import type { Retention } from '../../core/retention.ts'
import type { BillingConfig } from '../config.ts'
import { billingErrors } from '../errors.ts'
import { fieldsOf, parseBody } from '../events/parse.ts'
import type { Outcome } from '../state/rules.ts'
import type { StateService } from '../state/service.ts'
import { lockCustomer } from '../state/store/entities.ts'
import { ingestEvents } from './contract.ts'
import { createDeliveryRetention } from './retention.ts'
import { parseError } from './rules.ts'
import { applyEvents } from './service.ts'
import * as store from './store/deliveries.ts'

export type ListedDelivery = store.ListedDelivery

/** Where a page of deliveries starts, and how many deliveries it has. */
export type DeliveryQuery = Parameters<typeof cursorOf<'receivedAt'>>[0]

/** The result of replaying one of several deliveries: its effect, or the reason why it was refused. */
export type Replayed = { readonly id: string } & (
  | { readonly effect: Outcome; readonly error: null }
  | { readonly effect: null; readonly error: Pick<AppError, 'code' | 'message' | 'issues'> }
)

/** Administration of stored deliveries. */
export interface Deliveries {
  /** Lists one page of deliveries without their bodies, in the order of receipt. If a page is not full, another page may still follow. */
  list(
    filter: store.DeliveryFilter,
    query: DeliveryQuery,
  ): Promise<{ readonly rows: readonly store.ListedDelivery[]; readonly next: string | null; readonly total: Total | null }>
  /** Lists the newest deliveries that match the filter, without their bodies. Searches only as many deliveries as one page does. */
  newest(filter: store.DeliveryFilter, limit: number): Promise<readonly store.ListedDelivery[]>
  /** Parses and applies a stored delivery again. Throws DELIVERY_NOT_FOUND, DELIVERY_WAS_REMOVED, FAILED_TO_PARSE_EVENT, UNKNOWN_EVENT_TYPE. */
  replay(principal: Principal, id: string): Promise<Outcome>
  /**
   * Replays several deliveries, each in its own transaction, and returns the results in the order of `ids`. If a delivery is refused or
   * fails, the others are still replayed. Stops only if the database cannot be reached.
   */
  replayAll(principal: Principal, ids: readonly string[]): Promise<readonly Replayed[]>
  /** Gives a quarantined delivery up, so that retention may delete it. Throws DELIVERY_NOT_FOUND and DELIVERY_IS_NOT_QUARANTINED. */
  dismiss(principal: Principal, id: string): Promise<Date>
  /**
   * Permanently removes everything stored about a customer. Returns the number of deliveries whose content was deleted. Throws
   * CUSTOMER_NOT_FOUND.
   */
  forgetCustomer(principal: PermittedPrincipal, customerId: string): Promise<number>
  /**
   * Deletes deliveries that are older than `billing.retentionDays` and that no stored version refers to. A quarantined delivery stays
   * until an operator dismisses it.
   */
  readonly retention: Retention
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'events' | 'log'> {
  readonly config: Pick<BillingConfig, 'retentionDays'>
  readonly state: StateService
  readonly requireAlive: RequireAlive
}

const pageSize = 100

/** Finds, in a body, the email addresses of a customer and the ids of the customer's checkouts. */
const identifiersIn = (body: Buffer): readonly string[] => {
  try {
    const { type, data } = fieldsOf(JSON.parse(body.toString()))
    const { id, email, customer_email, customer, checkout_id } = fieldsOf(data)
    const addresses = [email, customer_email, fieldsOf(customer)['email']].map((value) =>
      typeof value === 'string' && value.includes('@') ? value : '',
    )
    const isCheckout = String(type).startsWith('checkout.')
    return [...addresses, checkout_id, isCheckout ? id : '']
      .filter((name) => typeof name === 'string')
      .filter((name) => name !== '')
  } catch {
    return []
  }
}

/** The text of a body in lower case. JSON can write a character as itself or as an escape; here each character has one spelling. */
const normalized = (body: Buffer): string => {
  const text = body.toString()
  try {
    return JSON.stringify(parseExactJson(text)).toLowerCase()
  } catch {
    return text.toLowerCase()
  }
}

async function* bodiesOf(db: Db, customerId: string | null) {
  for (let after: { readonly receivedAt: Date; readonly id: string } | undefined; ; ) {
    const page = await store.listBodies(db, customerId, after, pageSize)
    yield* page
    after = page.at(-1)
    if (page.length < pageSize) return
  }
}

/**
 * Ids of deliveries that contain personal data of a customer but are not stored under the customer's id. Two kinds exist: bodies that
 * could not be parsed, and checkouts before the purchase, which contain the buyer's name, email address and network. The deliveries are
 * found because they contain the customer's id, an email address or a checkout id of the customer.
 */
const personalDataReferences = async (db: Db, customerId: string): Promise<readonly string[]> => {
  const identifiers = new Set([customerId])
  for await (const { body } of bodiesOf(db, customerId)) for (const name of identifiersIn(body)) identifiers.add(name)
  const quoted = [...identifiers].map((name) => JSON.stringify(name).toLowerCase())
  const found: string[] = []
  for await (const { id, body } of bodiesOf(db, null)) {
    const text = normalized(body)
    if (quoted.some((name) => text.includes(name))) found.push(id)
  }
  return found
}

export const createDeliveries = (deps: Deps): Deliveries => {
  const { db, transact, clock, events, log, config, state, requireAlive } = deps
  const list: Deliveries['list'] = async (filter, { sort, order, limit, after, total }) => {
    const query = { sort, order, limit, after, total }
    return placedPage(query, await store.pageOfDeliveries(db, filter, cursorOf(query)))
  }
  const replay: Deliveries['replay'] = async (principal, id) => {
    const row = await store.findDelivery(db, id)
    if (row === undefined) throw billingErrors.error('DELIVERY_NOT_FOUND')
    const { result, ...about } = parseBody(row.body)
    if (row.status === 'removed') throw billingErrors.error('DELIVERY_WAS_REMOVED')
    if (!result.ok) {
      await transact((tx) => store.updateQuarantined(tx, id, { ...about, issues: result.issues }))
      throw parseError(result)
    }
    const { event } = result
    const [outcome = 'ignored'] = await transact(async (tx) => {
      if (about.customerId !== null) await lockCustomer(tx, about.customerId)
      await events.record(tx, principal, ingestEvents['delivery.replayed'], { subject: id, data: {} })
      const patch = { ...about, status: 'accepted', outcome: 'applied', issues: [], appliedAt: clock.now() } as const
      if (await store.updateQuarantined(tx, id, patch)) return applyEvents(tx, state, [{ event, delivery: row }])
      // The delivery is read again under the lock, because its content may have been removed. A replay does not change the stored
      // outcome, which is the effect that the event had when it arrived.
      const current = await store.findDelivery(tx, id)
      if (current?.status !== 'accepted') throw billingErrors.error('DELIVERY_WAS_REMOVED')
      return state.apply(tx, [{ event, delivery: current }])
    })
    return outcome
  }
  return {
    list,
    replay,
    replayAll: async (principal, ids) => {
      const replayed: Replayed[] = []
      for (const id of ids)
        try {
          replayed.push({ id, effect: await replay(principal, id), error: null })
        } catch (error) {
          if (isUnavailable(error)) throw error
          const isExpected = error instanceof AppError
          if (!isExpected) log.error({ err: error, deliveryId: id }, 'a delivery could not be applied again')
          replayed.push({ id, effect: null, error: isExpected ? error : coreErrors.error('INTERNAL_SERVER_ERROR') })
        }
      return replayed
    },
    newest: async (filter, limit) => (await list(filter, { sort: 'receivedAt', order: 'desc', limit })).rows,
    dismiss: async (principal, id) => {
      const dismissedAt = clock.now()
      const isDismissed = await transact(async (tx) => {
        if (!(await store.updateQuarantined(tx, id, { dismissedAt }))) return false
        await events.record(tx, principal, ingestEvents['delivery.dismissed'], { subject: id, data: {} })
        return true
      })
      if (!isDismissed)
        throw billingErrors.error(
          (await store.findDelivery(db, id)) === undefined ? 'DELIVERY_NOT_FOUND' : 'DELIVERY_IS_NOT_QUARANTINED',
        )
      return dismissedAt
    },
    forgetCustomer: async (principal, customerId) => {
      if (!can(principal, 'customers:delete')) throw coreErrors.error('FORBIDDEN')
      const references = await personalDataReferences(db, customerId)
      return transact(async (tx) => {
        await requireAlive(tx, principal)
        await lockCustomer(tx, customerId)
        if (references.length === 0 && !(await store.isKnownCustomer(tx, customerId)))
          throw billingErrors.error('CUSTOMER_NOT_FOUND')
        await store.insertForgotten(tx, customerId, clock.now())
        await state.forget(tx, customerId)
        await events.record(tx, principal, ingestEvents['customer.forgotten'], { subject: customerId, data: {} })
        let emptied = await store.removeContent(tx, { customerId })
        for (const id of references) emptied += await store.removeContent(tx, { id })
        return emptied
      })
    },
    retention: createDeliveryRetention({ db, transact, clock, config, state }),
  }
}
