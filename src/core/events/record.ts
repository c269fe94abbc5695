import type { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Tx } from '../db/database.ts'
import type { Random } from '../random.ts'
import type { RequestContext } from '../request-context.ts'
import * as store from './store.ts'
import type { EventTable, EventType } from './types.ts'

/** The actor of an event. Every principal is one. */
export interface Actor extends RequestContext {
  readonly kind: string
  readonly user?: { readonly id: string }
  readonly session?: { readonly id: string }
  /** The application or API key, if the actor is not a person. */
  readonly actorId?: string
  /** The administrator who impersonates this user. */
  readonly impersonatorId?: string
}

/** Makes the caller an actor: the user whose identity the caller has just proven. */
export const asUser = (caller: RequestContext, userId: string, sessionId: string): Actor => ({
  ...caller,
  kind: 'user',
  user: { id: userId },
  session: { id: sessionId },
})

export type EventDetails<Data extends z.ZodObject, Transient> = {
  /** Id of the subject of the event. */
  readonly subject: string
  /** The organization of the event. */
  readonly organizationId?: string | null
  /** Why it was done. When absent: the reason of the call. */
  readonly reason?: string | null
  readonly data: z.input<Data>
} & (Transient extends undefined ? object : { readonly transient: Transient })

/** An event as reactions and readers receive it. */
export interface RecordedEvent<Data extends z.ZodObject = z.ZodObject>
  extends Omit<store.EventRow, 'data' | 'position' | 'hash'> {
  readonly data: z.output<Data>
}

/** Does further work in the transaction of an event, or forbids it. */
export interface Reaction {
  readonly type: EventType
  react(tx: Tx, event: RecordedEvent, call: Call<unknown>): Promise<void>
}

/** What a reaction receives besides the event: the principal, and the transient data of the type, which is not stored. */
export interface Call<Transient> {
  readonly actor: Actor
  readonly transient: Transient
}

/**
 * Declares a function that runs for every event of the type, as soon as it is recorded and in the same transaction. An error rolls the
 * change back. The function may only use SQL.
 */
export const reactTo = <Data extends z.ZodObject, Transient>(
  type: EventType<Data, Transient>,
  react: (tx: Tx, event: RecordedEvent<Data>, call: Call<Transient>) => Promise<void>,
): Reaction => ({ type, react: react as Reaction['react'] })

export interface Events {
  /**
   * Records an event in the transaction of the change, so that the event exists exactly if the change does. Runs the reactions to its
   * type at once. One statement before the commit writes all events of the transaction. Throws for data that the type does not allow.
   */
  record<Data extends z.ZodObject, Transient>(
    tx: Tx,
    actor: Actor,
    type: EventType<Data, Transient>,
    details: EventDetails<Data, Transient>,
  ): Promise<void>
}

/** The events, with functions that only `composition.ts` uses. */
export interface EventHub extends Events {
  /** Adds the types and reactions of a feature. Throws if a name exists already. */
  register(feature: { readonly events?: EventTable; readonly reactions?: readonly Reaction[] }): void
  /** All types, by name. */
  readonly types: ReadonlyMap<string, EventType>
}

/**
 * Makes ids of 32 characters from time, counter and random characters. They sort by time, and for equal times in the order in which the
 * process made them.
 */
const createIds = (random: Random): ((now: Date) => string) => {
  let last = 0
  let count = 0
  return (now) => {
    const ms = now.getTime()
    count = ms === last ? count + 1 : 0
    last = ms
    return ms.toString(36).padStart(9, '0') + count.toString(36).padStart(4, '0') + random.token(19)
  }
}

export const createEvents = ({ clock, random }: { readonly clock: Clock; readonly random: Random }): EventHub => {
  const types = new Map<string, EventType>()
  const reactions = new Map<string, Reaction[]>()
  const idOf = createIds(random)
  const pending = new WeakMap<object, store.NewEvent[]>()

  /** The events that a transaction has recorded. One statement writes them at its end. */
  const eventsOf = (tx: Tx): store.NewEvent[] => {
    const known = pending.get(tx)
    if (known !== undefined) return known
    const events: store.NewEvent[] = []
    pending.set(tx, events)
    store.insertEvents(tx, events)
    return events
  }

  return {
    types,
    register: ({ events = {}, reactions: declared = [] }) => {
      for (const type of Object.values(events)) {
        if (types.has(type.name)) throw new Error(`two features declare the event ${type.name}`)
        types.set(type.name, type)
      }
      for (const reaction of declared) reactions.set(reaction.type.name, [...(reactions.get(reaction.type.name) ?? []), reaction])
    },
    record: async (tx, actor, type, details) => {
      const { subject, organizationId = null, reason = null, data } = details
      if (!types.has(type.name)) throw new Error(`no feature declares the event ${type.name}`)
      const occurredAt = clock.now()
      const event = {
        id: idOf(occurredAt),
        type: type.name,
        occurredAt,
        actorKind: actor.kind,
        // The actor of a call with an API key is the key, and not its owner.
        actorId: (actor.kind === 'user' ? actor.user?.id : (actor.actorId ?? actor.user?.id)) ?? null,
        sessionId: actor.session?.id ?? null,
        impersonatorId: actor.impersonatorId ?? null,
        subjectType: type.subject,
        subjectId: subject,
        organizationId,
        address: actor.address,
        userAgent: actor.userAgent,
        requestId: actor.requestId,
        reason: reason ?? actor.reason ?? null,
      }
      // Unknown keys are dropped, so that a field which a caller spreads into `data` by mistake is not stored.
      const known = type.data.parse(data)
      eventsOf(tx).push({ ...event, data: JSON.stringify(known) })
      const call = { actor, transient: 'transient' in details ? details.transient : undefined }
      for (const { react } of reactions.get(type.name) ?? []) await react(tx, { ...event, data: known }, call)
    },
  }
}
