import type { Actor } from '../load/load.ts'
import type { DatabaseName } from '../options.ts'
import type { Target, TargetName } from '../targets/targets.ts'

/** Prepares a virtual user of a target, which can then repeat its operation. `index` distinguishes the users of a contest. */
export type Prepare = (target: Target, index: number) => Promise<Actor>

/** A server that gatehouse is compared with. */
export interface Rival {
  readonly label: string
  readonly target: TargetName
  /** The part of the rival's speed that gatehouse has to reach, from the performance goals. Absent if there is no goal. */
  readonly goal?: Readonly<Record<DatabaseName, number>>
  /** Prepares the rival, if its operation differs from gatehouse's. */
  readonly prepare?: Prepare
}

/** An operation that gatehouse and its rivals perform in turn. */
export interface Contest {
  readonly name: string
  readonly prepare: Prepare
  readonly rivals: readonly Rival[]
  /** The server that is compared with the rivals. By default it is gatehouse. */
  readonly own?: TargetName
  /** True if the set-up takes so long that the contest runs only when its name is given. */
  readonly onlyWhenNamed?: boolean
}

/** Returns the same goal for both databases. */
export const both = (goal: number): NonNullable<Rival['goal']> => ({ sqlite: goal, postgres: goal })

/** Throws an error with the answer if the answer is wrong. */
export const check = (isRight: boolean, answer: { readonly status: number; readonly body: string }): void => {
  if (!isRight) throw new Error(`wrong answer, status ${answer.status}: ${answer.body.slice(0, 300)}`)
}
