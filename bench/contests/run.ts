import { type Actor, runFor, type Sample, type Summary, summarize } from '../load/load.ts'
import type { Options } from '../options.ts'
import { withChildren } from '../system.ts'
import type { Target, TargetName } from '../targets/targets.ts'
import type { Contest, Prepare, Rival } from './contest.ts'

export interface Outcome {
  readonly name: string
  readonly gatehouse: Summary
  readonly rivals: readonly { readonly rival: Rival; readonly summary: Summary }[]
}

/** Number of virtual users for each side. */
export const connections = 16
const warmUpSeconds = 2

/** One side of a contest, with its virtual users and its samples so far. */
interface Side {
  readonly target: Target
  readonly actors: readonly Actor[]
  readonly samples: Sample[]
}

/** The processes whose processor time counts: the server, and the database that it uses. No other server uses the database at the same time. */
export const processesOf =
  ({ pid, databasePid }: Target) =>
  (): readonly number[] => [pid, ...(databasePid === undefined ? [] : withChildren(databasePid))]

const openSide = async (target: Target, prepare: Prepare, warmUp: number): Promise<Side> => {
  // Users sign up one after the other, because a sign-up hashes a password and the server limits the queue for that.
  const actors: Actor[] = []
  for (let i = 0; i < connections; i += 1) actors.push(await prepare(target, i))
  await runFor(actors, warmUp, processesOf(target))
  return { target, actors, samples: [] }
}

/** Runs gatehouse and its rivals in turn, round after round, so that other work on the machine affects them all. */
export const runContest = async (
  contest: Contest,
  targetOf: (name: TargetName) => Promise<Target>,
  { rounds, seconds, quick, beside }: Options,
): Promise<Outcome> => {
  const warmUp = quick ? 0.1 : warmUpSeconds
  const own = await openSide(await targetOf(contest.own ?? 'gatehouse'), contest.prepare, warmUp)
  const others: { readonly rival: Rival; readonly side: Side }[] = []
  const isWithBeside = beside !== undefined && contest.own === undefined
  const rivals: readonly Rival[] = [...contest.rivals, ...(isWithBeside ? [{ label: 'beside', target: 'beside' as const }] : [])]
  for (const rival of rivals)
    others.push({ rival, side: await openSide(await targetOf(rival.target), rival.prepare ?? contest.prepare, warmUp) })
  const sides = [own, ...others.map(({ side }) => side)]
  for (let round = 0; round < rounds; round += 1)
    for (const { target, actors, samples } of sides) samples.push(await runFor(actors, seconds, processesOf(target)))
  for (const actor of sides.flatMap((side) => side.actors)) actor.close()
  return {
    name: contest.name,
    gatehouse: summarize(own.samples),
    rivals: others.map(({ rival, side }) => ({ rival, summary: summarize(side.samples) })),
  }
}
