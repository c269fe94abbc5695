import type { z } from 'zod'

/** What one event adds to the statistics of the day on which it happened. */
export interface Counted {
  /** Pairs of a measure in `src/statistics/measures.ts` and a key of that measure. For a measure without keys, the key is an empty text. */
  readonly counts: readonly (readonly [measure: string, key: string])[]
  /** True if the event makes its subject count as an active user of the day. */
  readonly isActivity?: boolean
}

/** What a type of event means, and which data its events have. */
export interface EventDescription {
  /** One sentence that explains the type to people who read the list of types. */
  readonly summary: string
  /** The kind of resource that events of this type are about, such as `user`. */
  readonly subject: string
  /**
   * The schema of the data that is stored with an event: ids, roles and names of changed fields. It must never contain a secret or an
   * email address.
   */
  readonly data: z.ZodObject
  /** The schema of data that only reactions receive, such as an email address. It is not stored. */
  readonly transient?: z.ZodObject
  /** Computes what an event adds to the statistics. `data` is the stored form, and an earlier version of gatehouse may have stored it. */
  readonly counted?: (data: Readonly<Record<string, unknown>>) => Counted
}

/** A type of event. Data of the type `Data` is stored. Data of the type `Transient` is only passed to reactions. */
export interface EventType<Data extends z.ZodObject = z.ZodObject, Transient = unknown> extends EventDescription {
  /** The name consists of the subject and what happened to it, in the past tense: `user.created`. */
  readonly name: string
  readonly data: Data
  /** Never set. It only tells the compiler the type of the transient data. */
  readonly given?: Transient
}

export type EventTable = Readonly<Record<string, EventType>>

type Defined<T> = {
  readonly [Name in keyof T]: T[Name] extends { readonly data: infer Data extends z.ZodObject }
    ? EventType<
        Data,
        T[Name] extends { readonly transient: infer Transient extends z.ZodObject } ? z.output<Transient> : undefined
      >
    : never
}

/** Declares the event types of a feature by name. Use: `events.record(tx, principal, userEvents['user.created'], { … })`. */
export const defineEvents = <const T extends Readonly<Record<`${string}.${string}`, EventDescription>>>(table: T): Defined<T> =>
  Object.fromEntries(Object.entries(table).map(([name, description]) => [name, { name, ...description }])) as Defined<T>
