import type { z } from 'zod'

/** The counts that an event adds to its day. */
export interface Counted {
  /** A measure of `src/statistics/measures.ts` and its key, which is empty for measures without keys. */
  readonly counts: readonly (readonly [measure: string, key: string])[]
  /** The subject is an active user. */
  readonly isActivity?: boolean
}

/** The meaning and the data of a type of event. */
export interface EventDescription {
  /** One sentence for people who read the list of types. */
  readonly summary: string
  /** The kind of the subject. */
  readonly subject: string
  /** Further data: ids, roles and names of changed fields. Never a secret or an email address. */
  readonly data: z.ZodObject
  /** Data for reactions alone, which is not stored, such as an email address. */
  readonly transient?: z.ZodObject
  /** The counts of an event for statistics. `data` has its stored form, possibly of an earlier version. */
  readonly counted?: (data: Readonly<Record<string, unknown>>) => Counted
}

/** A type of event. `Data` is the recorded data; `Transient` is for reactions only. */
export interface EventType<Data extends z.ZodObject = z.ZodObject, Transient = unknown> extends EventDescription {
  /** `user.created`: the subject and the change, in the past tense. */
  readonly name: string
  readonly data: Data
  /** Only for the compiler. */
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

/** The event types of one feature by name: `events.record(tx, principal, userEvents['user.created'], { … })`. */
export const defineEvents = <const T extends Readonly<Record<`${string}.${string}`, EventDescription>>>(table: T): Defined<T> =>
  Object.fromEntries(Object.entries(table).map(([name, description]) => [name, { name, ...description }])) as Defined<T>
