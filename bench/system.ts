/** Facts from the operating system: processor time, memory, and which core a process may use. They are only known on Linux. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

const tasksOf = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
  } catch {
    // The process has ended meanwhile.
    return []
  }
}

/**
 * Processor time of processes with all their threads, in µs. The thread pool hashes passwords and reads SQLite. The first process must
 * exist; otherwise the time is unknown.
 */
export const cpuMicroseconds = (pids: readonly number[]): number | undefined => {
  if (read(`/proc/${pids[0]}/schedstat`) === undefined) return undefined
  const tasks = pids.flatMap(tasksOf)
  const nanoseconds = tasks.map((task) => Number(read(`${task}/schedstat`)?.split(' ', 1)[0] ?? 0))
  return nanoseconds.reduce((sum, part) => sum + part, 0) / 1000
}

const parentOf = (pid: string): number => Number(read(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ')[1] ?? Number.NaN)

/** A process and its children. For PostgreSQL, these are the backends, the writers and autovacuum. */
export const withChildren = (pid: number): readonly number[] =>
  existsSync('/proc')
    ? [
        pid,
        ...readdirSync('/proc')
          .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
          .map(Number),
      ]
    : [pid]

/** Resident memory in MiB: the present value, and the highest value so far. */
export const memory = (pid: number): { readonly now: number; readonly peak: number } | undefined => {
  const status = read(`/proc/${pid}/status`)
  const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status ?? '')?.[1] ?? Number.NaN) / 1024
  return status === undefined ? undefined : { now: mib('VmRSS'), peak: mib('VmHWM') }
}

const hasTaskset = (): boolean => {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * True if servers run on the first core and the load on the second. PostgreSQL is started by the load's process, so it also runs on the
 * second core.
 */
export const isPinned = availableParallelism() > 1 && hasTaskset()

/** Pins this process, its threads and later children to the core of the load. */
export const pinLoad = (): void => {
  if (isPinned) execFileSync('taskset', ['-acp', '1', String(process.pid)], { stdio: 'ignore' })
}

/** A command that runs on the core of the servers. */
export const pinnedCommand = (command: string, args: readonly string[]): readonly [string, readonly string[]] =>
  isPinned ? ['taskset', ['-c', '0', command, ...args]] : [command, args]
