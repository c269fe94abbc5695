import type { Answers, Step } from '../state.ts'
import type { Amount } from './made-up.ts'

/** A screen of the console, with answers for few and many rows. */
export interface ScreenCase {
  /** The screen's path in `groups.ts`. */
  readonly pattern: string
  /** The address to open. If it is absent, it is the pattern. */
  readonly path?: string
  /** Addresses for single amounts of data, if the amount appears in the address, for example as a search. */
  readonly paths?: Readonly<Partial<Record<Amount, string>>>
  readonly answers: (amount: Amount) => Answers
  /** The person's actions before the state is reached. */
  readonly steps?: readonly Step[]
  /** Further states of this screen, by name. */
  readonly more?: Readonly<
    Record<string, { readonly path?: string; readonly answers?: Answers; readonly steps?: readonly Step[] }>
  >
}
