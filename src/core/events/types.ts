import type { z } from 'zod'

/** What an event adds to the statistics of its day. */
export interface Counted {
  /** Pairs of a measure of `src/statistics/measures.ts` and its key. The key is empty if the measure has none. */
  readonly counts: readonly (readonly [measure: string, key: string])[]
  /** True if the subject counts as an active user. */
  readonly isActivity?: boolean
}

/** What a type of event means, and which data it has. */
export interface EventDescription {
  /** One sentence for people who read the list of types. */
  readonly summary: string
  /** The kind of resource that the subject is. */
  readonly subject: string
  /** Further data: ids, roles and names of changed fields. It never contains a secret or an email address. */
  readonly data: z.ZodObject
  /** Data that only reactions get, such as an email address. It is not stored. */
  readonly transient?: z.ZodObject
  /** What an event adds to the statistics. `data` has its stored form, and may come from an earlier version. */
  readonly counted?: (data: Readonly<Record<string, unknown>>) => Counted
}

/** A type of event. `Data` is recorded. `Transient` is only for reactions. */
export interface EventType<Data extends z.ZodObject = z.ZodObject, Transient = unknown> extends EventDescription {
  /** For example `user.created`: the subject and what happened to it, in the past tense. */
  readonly name: string
  readonly data: Data
  /** Never set. The compiler uses its type. */
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
