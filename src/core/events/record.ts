import type { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Tx } from '../db/database.ts'
import type { Random } from '../random.ts'
import type { RequestContext } from '../request-context.ts'
import * as store from './store.ts'
import type { EventTable, EventType } from './types.ts'

/** Who causes an event. Every principal is an actor. */
export interface Actor extends RequestContext {
  readonly kind: string
  readonly user?: { readonly id: string }
  readonly session?: { readonly id: string }
  /** Id of the application or API key, if the actor is not a person. */
  readonly actorId?: string
  /** The administrator who impersonates this user. */
  readonly impersonatorId?: string
}

/** The actor for a call whose caller has just proved to be this user. */
export const asUser = (caller: RequestContext, userId: string, sessionId: string): Actor => ({
  ...caller,
  kind: 'user',
  user: { id: userId },
  session: { id: sessionId },
})

export type EventDetails<Data extends z.ZodObject, Transient> = {
  /** Id of the resource that the event is about. */
  readonly subject: string
  /** Id of the organization that the event belongs to. */
  readonly organizationId?: string | null
  /** Why the actor made the change. When absent: the reason that the call was made with. */
  readonly reason?: string | null
  readonly data: z.input<Data>
} & (Transient extends undefined ? object : { readonly transient: Transient })

/** An event as reactions and readers receive it. */
export interface RecordedEvent<Data extends z.ZodObject = z.ZodObject>
  extends Omit<store.EventRow, 'data' | 'position' | 'hash'> {
  readonly data: z.output<Data>
}

/** A function that runs in the transaction of an event. It does further work, or throws to prevent the change. */
export interface Reaction {
  readonly type: EventType
  react(tx: Tx, event: RecordedEvent, call: Call<unknown>): Promise<void>
}

/** What a reaction receives beside the event: the actor, and the transient data, which is not stored. */
export interface Call<Transient> {
  readonly actor: Actor
  readonly transient: Transient
}

/**
 * Declares a function that runs whenever an event of this type is recorded, at once and in the same transaction. If the function throws,
 * the transaction is rolled back. The function may run only SQL.
 */
export const reactTo = <Data extends z.ZodObject, Transient>(
  type: EventType<Data, Transient>,
  react: (tx: Tx, event: RecordedEvent<Data>, call: Call<Transient>) => Promise<void>,
): Reaction => ({ type, react: react as Reaction['react'] })

export interface Events {
  /**
   * Records an event in the transaction of the change that it describes. So the event is stored if and only if the change is. At once
   * runs the reactions to the type of the event. All events of a transaction are written by one statement before the commit. Throws for
   * data that the type does not allow.
   */
  record<Data extends z.ZodObject, Transient>(
    tx: Tx,
    actor: Actor,
    type: EventType<Data, Transient>,
    details: EventDetails<Data, Transient>,
  ): Promise<void>
}

/** Recording of events, and two members that only `composition.ts` uses. */
export interface EventHub extends Events {
  /** Adds the event types and reactions of a feature. Throws if an event type of the same name was already added. */
  register(feature: { readonly events?: EventTable; readonly reactions?: readonly Reaction[] }): void
  /** All event types, by name. */
  readonly types: ReadonlyMap<string, EventType>
}

/**
 * Makes ids of 32 characters from the time, a counter and random characters. Ids sort by time. Ids with equal times sort in the order in
 * which this process made them.
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

  /** The events that a transaction has recorded so far. One statement writes them just before the commit. */
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
        // If the call was made with an API key, the actor is the key and not the owner of the key.
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
      // Fields that the type does not declare are dropped. So if a caller puts a whole object into `data`, its other fields are not
      // stored.
      const known = type.data.parse(data)
      eventsOf(tx).push({ ...event, data: JSON.stringify(known) })
      const call = { actor, transient: 'transient' in details ? details.transient : undefined }
      for (const { react } of reactions.get(type.name) ?? []) await react(tx, { ...event, data: known }, call)
    },
  }
}
