import type { Actor } from '../load/load.ts'
import type { DatabaseName } from '../options.ts'
import type { Target, TargetName } from '../targets/targets.ts'

/** A virtual user of a target, ready to repeat its operation. `index` tells the users of a contest apart. */
export type Prepare = (target: Target, index: number) => Promise<Actor>

/** What gatehouse is held against. */
export interface Rival {
  readonly label: string
  readonly target: TargetName
  /** Least part of the rival's speed that gatehouse has to reach, from the performance goals; absent: none is set. */
  readonly goal?: Readonly<Record<DatabaseName, number>>
  /** When the rival does something else than gatehouse. */
  readonly prepare?: Prepare
}

/** One operation, done by gatehouse and by its rivals in turn. */
export interface Contest {
  readonly name: string
  readonly prepare: Prepare
  readonly rivals: readonly Rival[]
  /** The server whose figures these are; gatehouse when it is not said. */
  readonly own?: TargetName
  /** Takes so long to set up that it runs only when it is asked for by name. */
  readonly onlyWhenNamed?: boolean
}

/** The same goal on both databases. */
export const both = (goal: number): NonNullable<Rival['goal']> => ({ sqlite: goal, postgres: goal })

/** Throws with what came instead. */
export const check = (isRight: boolean, answer: { readonly status: number; readonly body: string }): void => {
  if (!isRight) throw new Error(`wrong answer, status ${answer.status}: ${answer.body.slice(0, 300)}`)
}
