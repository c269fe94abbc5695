import type { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Tx } from '../db/database.ts'
import type { Random } from '../random.ts'
import type { RequestContext } from '../request-context.ts'
import * as store from './store.ts'
import type { EventTable, EventType } from './types.ts'

/** The actor of an event; every principal is one. */
export interface Actor extends RequestContext {
  readonly kind: string
  readonly user?: { readonly id: string }
  readonly session?: { readonly id: string }
  /** The application or API key, if the actor is not a person. */
  readonly actorId?: string
  /** The administrator who impersonates this user. */
  readonly impersonatorId?: string
}

/** The caller as the user whose identity they have just proven. */
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
  /** The reason; by default that of the call. */
  readonly reason?: string | null
  readonly data: z.input<Data>
} & (Transient extends undefined ? object : { readonly transient: Transient })

/** An event as reactions and readers receive it. */
export interface RecordedEvent<Data extends z.ZodObject = z.ZodObject>
  extends Omit<store.EventRow, 'data' | 'position' | 'hash'> {
  readonly data: z.output<Data>
}

/** A condition that must hold when an event is committed. */
export interface Reaction {
  readonly type: EventType
  react(tx: Tx, event: RecordedEvent, call: Call<unknown>): Promise<void>
}

/** The input of a reaction besides the event: the principal, and the transient data of the type, which is not stored. */
export interface Call<Transient> {
  readonly actor: Actor
  readonly transient: Transient
}

/**
 * A function that runs in the transaction of every event of the type, at once when it is recorded; an error rolls the change back.
 * Only SQL belongs in it.
 */
export const reactTo = <Data extends z.ZodObject, Transient>(
  type: EventType<Data, Transient>,
  react: (tx: Tx, event: RecordedEvent<Data>, call: Call<Transient>) => Promise<void>,
): Reaction => ({ type, react: react as Reaction['react'] })

export interface Events {
  /**
   * Records what has happened, in the transaction of the change: the event is there exactly when the change is. Runs the reactions to its
   * type at once; the events of a transaction are written by one statement before it commits. Throws on data that its type does not allow.
   */
  record<Data extends z.ZodObject, Transient>(
    tx: Tx,
    actor: Actor,
    type: EventType<Data, Transient>,
    details: EventDetails<Data, Transient>,
  ): Promise<void>
}

/** The events, with the functions for the composition root alone. */
export interface EventHub extends Events {
  /** Adds the types and reactions of a feature. Throws for a name that exists. */
  register(feature: { readonly events?: EventTable; readonly reactions?: readonly Reaction[] }): void
  /** All types, by name. */
  readonly types: ReadonlyMap<string, EventType>
}

/** Ids of 32 characters that sort by time, and for equal times in the order of the process: time, count, random characters. */
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

  /** Events recorded by a transaction. They are written last, by one statement. */
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
        // The actor of a call with an API key is the key, not its owner.
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
      // Unknown keys are dropped: a field that a caller spreads into `data` by mistake is not stored.
      const known = type.data.parse(data)
      eventsOf(tx).push({ ...event, data: JSON.stringify(known) })
      const call = { actor, transient: 'transient' in details ? details.transient : undefined }
      for (const { react } of reactions.get(type.name) ?? []) await react(tx, { ...event, data: known }, call)
    },
  }
}
