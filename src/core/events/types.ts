import type { z } from 'zod'

/** What an event adds to the numbers of its day. */
export interface Counted {
  /** Each a measure of `src/statistics/measures.ts` and its key, which is empty where nothing is told apart. */
  readonly counts: readonly (readonly [measure: string, key: string])[]
  /** The subject is a user who was active. */
  readonly isActivity?: boolean
}

/** What a type of event means and carries. */
export interface EventDescription {
  /** One sentence for people who read the list of types. */
  readonly summary: string
  /** What an event of the type is about: `subject` of an event is the id of one of these. */
  readonly subject: string
  /** What it says beside that: ids, roles and names of changed fields. Never a secret or an email address. */
  readonly data: z.ZodObject
  /** What only reactions get and is not stored, such as an email address. */
  readonly transient?: z.ZodObject
  /** What statistics count of it. `data` is as it was stored, by an earlier version perhaps. */
  readonly counted?: (data: Readonly<Record<string, unknown>>) => Counted
}

/** One type of event; `Data` is what `data` has to hold when it is recorded, `Transient` what reactions get besides. */
export interface EventType<Data extends z.ZodObject = z.ZodObject, Transient = unknown> extends EventDescription {
  /** `user.created`: what it is about and what happened, in the past tense. */
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
