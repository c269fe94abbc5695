/** `npm run bench` compares gatehouse with the least code that could do the same work. bench/README.md explains the measurements. */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import knex from 'knex'
import { startPostgres } from '../test/support/postgres.ts'
import { organizationContests } from './contests/organizations.ts'
import { providerContests } from './contests/provider.ts'
import { runContest } from './contests/run.ts'
import { sessionContests } from './contests/sessions.ts'
import { runStorms } from './contests/storm.ts'
import { webhookContests } from './contests/webhooks.ts'
import { type DatabaseName, type Options, readOptions, usage } from './options.ts'
import { commandLine, contestLines, type Footprint, footprintLines, formatTable, type Line, stormLines } from './report.ts'
import { isPinned, memory, pinLoad } from './system.ts'
import { fillInbox } from './targets/fill.ts'
import {
  commandSeconds,
  rsaBits,
  startEngine,
  startFloor,
  startGatehouse,
  type Target,
  type TargetName,
} from './targets/targets.ts'

const progress = (text: string) => void process.stderr.write(`${text}\n`)

/** Returns a function that makes an empty database for each server that needs one. */
const openDatabases = async (name: DatabaseName, dir: string) => {
  if (name === 'sqlite')
    return { urlOf: async (owner: string) => `sqlite:${join(dir, `${owner}.db`)}`, pid: undefined, stop: async () => undefined }
  const server = await startPostgres({ isDurable: true })
  const made = new Set<string>()
  const urlOf = async (owner: string) => {
    const url = Object.assign(new URL(server.url), { pathname: `/${owner}` }).href
    if (made.has(owner)) return url
    made.add(owner)
    const admin = knex({ client: 'pg', connection: server.url, pool: { min: 0, max: 1 } })
    await admin.raw('create database ??', [owner])
    await admin.destroy()
    return url
  }
  return { urlOf, pid: server.pid, stop: server.stop }
}

type Databases = Awaited<ReturnType<typeof openDatabases>>

/** Starts each server when it is first needed. */
const createTargets = ({ urlOf, pid }: Databases, dir: string, { verbose, rows, beside }: Options) => {
  const started = new Map<TargetName, Target>()
  const start = async (name: TargetName): Promise<Target> => {
    if (name === 'engine') return startEngine(verbose)
    const options = { databaseUrl: await urlOf(name), databasePid: pid, dataDir: join(dir, name), verbose }
    if (name === 'floor' || name === 'capped') return startFloor(name, options)
    const target = await startGatehouse({ ...options, name, checkout: name === 'beside' ? beside : undefined })
    if (name === 'filled') await fillInbox(options.databaseUrl, rows)
    return target
  }
  const get = async (name: TargetName): Promise<Target> => {
    const target = started.get(name) ?? (await start(name))
    started.set(name, target)
    return target
  }
  return { get, all: () => [...started.values()] }
}

/**
 * Measures the time to ready and the idle memory before any load. The time is the median of restarts, because the first start of
 * gatehouse also makes its tables and keys.
 */
const footprintOf = async (target: Target, restarts: number): Promise<Footprint> => {
  const starts = [{ ms: target.readyMs, cpuMs: target.readyCpuMs }]
  for (let i = 0; i < restarts; i += 1) starts.push(await target.restart())
  const [, ...later] = starts
  const medianOf = (key: 'ms' | 'cpuMs') => {
    const sorted = (later.length > 0 ? later : starts).map((one) => one[key]).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  }
  // After 3 s, the daemon releases the memory that only its start needed.
  await wait(6_000)
  const idle = memory(target.pid)
  return { readyMs: medianOf('ms'), readyCpuMs: medianOf('cpuMs'), ...(idle === undefined ? {} : { idleMib: idle.now }) }
}

const peaks = (targets: readonly Target[]) =>
  targets.map(({ name, pid }) => `${name} ${Math.round(memory(pid)?.peak ?? 0)} MiB`).join(', ')

const withPeak = (footprint: Footprint, target: Target): Footprint => {
  const used = memory(target.pid)
  return used === undefined ? footprint : { ...footprint, peakMib: used.peak }
}

const measure = async (database: DatabaseName, options: Options): Promise<Line[]> => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  const databases = await openDatabases(database, dir)
  const targets = createTargets(databases, dir, options)
  const isNamed = (name: string) => options.only.some((part) => name.toLowerCase().includes(part))
  const isWanted = (name: string) => options.only.length === 0 || isNamed(name)
  const lines: Line[] = []
  try {
    const names = ['gatehouse', 'floor', 'engine', ...(options.beside === undefined ? [] : ['beside' as const])] as const
    const wantsFootprint = isWanted('footprint')
    const footprints = new Map<string, Footprint>()
    for (const name of wantsFootprint ? names : [])
      footprints.set(name, await footprintOf(await targets.get(name), options.quick ? 1 : 5))
    /** A wrong answer ends its own contest and appears in the table. The other contests continue. */
    const attempt = async (name: string, work: () => Promise<readonly Line[]>) => {
      if (!isWanted(name)) return
      try {
        lines.push(...(await work()))
      } catch (error) {
        lines.push({ operation: name, rival: `failed: ${(error as Error).message.slice(-160)}`, goal: '', met: false })
        process.exitCode = 1
      }
      progress(`${database}: ${name}; memory so far: ${peaks(targets.all())}`)
    }
    const contests = [...sessionContests, ...organizationContests(options.organizations), ...providerContests, ...webhookContests]
    for (const contest of contests.filter(({ name, onlyWhenNamed }) => onlyWhenNamed !== true || isNamed(name)))
      await attempt(contest.name, async () => contestLines(await runContest(contest, targets.get, options), database))
    await attempt('storm', async () => {
      const rivals = ['capped' as const, ...(options.beside === undefined ? [] : ['beside' as const])]
      const names = ['gatehouse' as const, ...rivals]
      const servers = await Promise.all(names.map((name) => targets.get(name)))
      const [own, ...others] = await runStorms(servers, options.rounds, options.seconds)
      if (own === undefined) return []
      return stormLines(
        own,
        others.map((storm, i) => ({ label: i === 0 ? 'floor, capped' : 'beside', storm })),
      )
    })
    for (const name of wantsFootprint ? names : []) {
      const before = footprints.get(name)
      if (before !== undefined) footprints.set(name, withPeak(before, await targets.get(name)))
    }
    const { gatehouse, ...others } = Object.fromEntries(footprints)
    if (gatehouse === undefined) return lines
    const command = await commandSeconds({ databaseUrl: await databases.urlOf('gatehouse'), dataDir: join(dir, 'gatehouse') })
    return [...lines, ...footprintLines(gatehouse, others, database), commandLine(command)]
  } finally {
    for (const target of targets.all()) await target.stop()
    await databases.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

const main = async (options: Options) => {
  pinLoad()
  const results: Record<string, Line[]> = {}
  for (const database of options.databases) {
    results[database] = await measure(database, options)
    if (!options.json) process.stdout.write(`\n## ${database}\n\n${formatTable(results[database])}\n`)
  }
  const machine = { rsaBits, processor: cpus()[0]?.model ?? '', cores: cpus().length, node: process.version, pinned: isPinned }
  const { rounds, seconds } = options
  if (options.json) process.stdout.write(`${JSON.stringify({ machine, rounds, seconds, results }, null, 2)}\n`)
  else process.stdout.write(`\n${JSON.stringify({ ...machine, rounds, seconds })}\n`)
}

try {
  await main(readOptions(process.argv.slice(2)))
} catch (error) {
  const isUsage = error instanceof TypeError && (error.message.startsWith('--') || 'code' in error)
  process.stderr.write(isUsage ? `${error.message}\n\n${usage}` : `${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = isUsage ? 2 : 1
}
