import type { Answers, Step } from '../state.ts'
import type { Amount } from './made-up.ts'

/** A screen of the console with what the server says about little and much. */
export interface ScreenCase {
  /** Its path in `groups.ts`. */
  readonly pattern: string
  /** The address that is opened; the pattern where it is left out. */
  readonly path?: string
  /** Where an amount is that of a search. */
  readonly paths?: Readonly<Partial<Record<Amount, string>>>
  readonly answers: (amount: Amount) => Answers
  /** What a person does before the state is there. */
  readonly steps?: readonly Step[]
  /** More states of this screen alone, by name. */
  readonly more?: Readonly<
    Record<string, { readonly path?: string; readonly answers?: Answers; readonly steps?: readonly Step[] }>
  >
}
