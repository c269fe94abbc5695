import type { Answers, Step } from '../state.ts'
import type { Amount } from './made-up.ts'

/** A screen of the console, with answers for few and many rows. */
export interface ScreenCase {
  /** Its path in `groups.ts`. */
  readonly pattern: string
  /** The address to open; absent: the pattern. */
  readonly path?: string
  /** For an address with the amount as a search. */
  readonly paths?: Readonly<Partial<Record<Amount, string>>>
  readonly answers: (amount: Amount) => Answers
  /** The person's actions before the state is reached. */
  readonly steps?: readonly Step[]
  /** Further states of this screen, by name. */
  readonly more?: Readonly<
    Record<string, { readonly path?: string; readonly answers?: Answers; readonly steps?: readonly Step[] }>
  >
}
