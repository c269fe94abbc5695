import { cpuMicroseconds } from '../system.ts'

/** A virtual user that repeats one operation. `act` throws if the answer is wrong. */
export interface Actor {
  act(): Promise<void>
  close(): void
}

/** The result of one round of load. */
export interface Sample {
  readonly perSecond: number
  /** Processor time of the servers for one operation, in µs. Undefined if the system does not report it. */
  readonly cpuMicros: number | undefined
  readonly latenciesMs: readonly number[]
}

/**
 * Lets all actors act as fast as they get answers. `pids` returns the processes whose time counts, and is called at the beginning and at
 * the end. Rejects at the first wrong answer.
 */
export const runFor = async (actors: readonly Actor[], seconds: number, pids: () => readonly number[]): Promise<Sample> => {
  const latenciesMs: number[] = []
  const cpuBefore = cpuMicroseconds(pids())
  const began = performance.now()
  const end = began + seconds * 1000
  const repeat = async (actor: Actor) => {
    for (let now = performance.now(); now < end; ) {
      await actor.act()
      const after = performance.now()
      latenciesMs.push(after - now)
      now = after
    }
  }
  await Promise.all(actors.map(repeat))
  const elapsed = (performance.now() - began) / 1000
  const cpuAfter = cpuMicroseconds(pids())
  const cpuMicros = cpuBefore === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpuBefore) / latenciesMs.length
  return { perSecond: latenciesMs.length / elapsed, cpuMicros, latenciesMs }
}

export interface Summary {
  readonly perSecond: number
  readonly cpuMicros: number | undefined
  readonly p50: number
  readonly p99: number
  readonly operations: number
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const percentile = (sorted: Float64Array, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** Throughput and processor time are medians of the rounds. Percentiles are over all answers together. */
export const summarize = (samples: readonly Sample[]): Summary => {
  const latencies = Float64Array.from(samples.flatMap((sample) => sample.latenciesMs)).sort()
  const cpu = samples.map((sample) => sample.cpuMicros).filter((value) => value !== undefined)
  return {
    perSecond: median(samples.map((sample) => sample.perSecond)),
    cpuMicros: cpu.length === samples.length ? median(cpu) : undefined,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    operations: latencies.length,
  }
}
