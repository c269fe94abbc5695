import { setTimeout as wait } from 'node:timers/promises'
import { type Actor, percentile, runFor } from '../load/load.ts'
import type { Target } from '../targets/targets.ts'
import { processesOf } from './run.ts'
import { sessionContests, signingIn } from './sessions.ts'

/** Measurements of session checks while many people sign in. */
export interface Storm {
  readonly signInsPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly checks: number
}

const connections = 32
const probes = 16
const everyMs = 20

/**
 * Checks sessions at a fixed pace, as people do, however fast the answers come. Each latency counts from the time when the check was due.
 * It therefore includes the wait for an earlier check.
 */
const probe = async (actors: readonly Actor[], until: () => boolean): Promise<number[]> => {
  const latencies: number[] = []
  const pace = async (actor: Actor, offset: number) => {
    for (let due = performance.now() + offset; !until(); due += everyMs * probes) {
      await wait(Math.max(0, due - performance.now()))
      await actor.act()
      latencies.push(performance.now() - due)
    }
  }
  await Promise.all(actors.map((actor, i) => pace(actor, i * everyMs)))
  return latencies
}

/** Signs in on 32 connections without a pause, and makes 50 session checks a second at the same time. */
export const runStorm = async (target: Target, seconds: number): Promise<Storm> => {
  const [check] = sessionContests
  if (check === undefined) throw new Error('no session check to run')
  const checks = await Promise.all(Array.from({ length: probes }, (_, i) => check.prepare(target, i)))
  const crowd = await Promise.all(Array.from({ length: connections }, (_, i) => signingIn(target, i)))
  let isOver = false
  const signIns = runFor(crowd, seconds, processesOf(target)).finally(() => {
    isOver = true
  })
  const [sample, waits] = await Promise.all([signIns, probe(checks, () => isOver)])
  const latencies = Float64Array.from(waits).sort()
  for (const actor of [...checks, ...crowd]) actor.close()
  return {
    signInsPerSecond: sample.perSecond,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    checks: latencies.length,
  }
}

/** Runs storms on several servers in turn, round after round. Returns the median of the rounds for each server. */
export const runStorms = async (targets: readonly Target[], rounds: number, seconds: number): Promise<readonly Storm[]> => {
  const storms = targets.map((): Storm[] => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [i, target] of targets.entries()) storms[i]?.push(await runStorm(target, seconds))
  const medianOf = (all: readonly Storm[], key: keyof Storm) =>
    all.map((storm) => storm[key]).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN
  return storms.map((all) => ({
    signInsPerSecond: medianOf(all, 'signInsPerSecond'),
    p50: medianOf(all, 'p50'),
    p99: medianOf(all, 'p99'),
    checks: medianOf(all, 'checks'),
  }))
}
