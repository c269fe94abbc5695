import type { Outcome } from './contests/run.ts'
import type { Storm } from './contests/storm.ts'
import type { Summary } from './load/load.ts'
import type { DatabaseName } from './options.ts'

/** A line of the table, or an entry of the JSON. */
export interface Line {
  readonly operation: string
  readonly perSecond?: number
  readonly cpuMicros?: number
  readonly p50?: number
  readonly p99?: number
  /** Name of the rival. */
  readonly rival?: string
  readonly rivalPerSecond?: number
  readonly rivalCpuMicros?: number
  /** Gatehouse's result divided by the rival's, by processor time and by answers per second. Higher is better. */
  readonly cpuRatio?: number
  readonly speedRatio?: number
  readonly goal: string
  /** Undefined if there is no goal. */
  readonly met: boolean | undefined
}

const isNumber = (value: number | undefined): value is number => value !== undefined && Number.isFinite(value)

const figures = (own: Summary) => ({
  perSecond: own.perSecond,
  ...(isNumber(own.cpuMicros) ? { cpuMicros: own.cpuMicros } : {}),
  p50: own.p50,
  p99: own.p99,
})

/**
 * The goal is compared with the ratio of processor times, if they are known. On a shared machine they vary less than the throughput, and
 * the load generator does not limit them.
 */
export const contestLines = ({ name, gatehouse, rivals }: Outcome, database: DatabaseName): Line[] =>
  rivals.map(({ rival, summary }) => {
    const speedRatio = gatehouse.perSecond / summary.perSecond
    const known = isNumber(gatehouse.cpuMicros) && isNumber(summary.cpuMicros)
    const cpuRatio = known ? Number(summary.cpuMicros) / Number(gatehouse.cpuMicros) : undefined
    const goal = rival.goal?.[database]
    return {
      operation: name,
      ...figures(gatehouse),
      rival: rival.label,
      rivalPerSecond: summary.perSecond,
      ...(isNumber(summary.cpuMicros) ? { rivalCpuMicros: summary.cpuMicros } : {}),
      ...(cpuRatio === undefined ? {} : { cpuRatio }),
      speedRatio,
      goal: goal === undefined ? '' : `≥ ${Number(goal.toFixed(2))}`,
      met: goal === undefined ? undefined : (cpuRatio ?? speedRatio) >= goal,
    }
  })

/** Goals: session checks stay fast, and hardly fewer people sign in than at a server with the same limit on simultaneous hashes. */
export const stormLines = (own: Storm, others: readonly { readonly label: string; readonly storm: Storm }[]): Line[] =>
  others.flatMap(({ label, storm }, i): Line[] => {
    const ratio = own.p99 / storm.p99
    const speedRatio = own.signInsPerSecond / storm.signInsPerSecond
    const hasGoal = i === 0
    return [
      {
        operation: 'get-session while 32 sign in',
        p50: own.p50,
        p99: own.p99,
        rival: `${label}: p50 ${storm.p50.toFixed(1)}, p99 ${storm.p99.toFixed(1)} ms, × ${ratio.toFixed(2)}`,
        goal: hasGoal ? 'p99 × ≤ 1.5' : '',
        met: hasGoal ? ratio <= 1.5 : undefined,
      },
      {
        operation: 'sign-in of the 32',
        perSecond: own.signInsPerSecond,
        rival: label,
        rivalPerSecond: storm.signInsPerSecond,
        speedRatio,
        goal: hasGoal ? '≥ 0.9' : '',
        met: hasGoal ? speedRatio >= 0.9 : undefined,
      },
    ]
  })

export interface Footprint {
  readonly readyMs: number
  readonly readyCpuMs?: number
  readonly idleMib?: number
  readonly peakMib?: number
}

const limits: readonly {
  readonly operation: string
  readonly key: keyof Footprint
  readonly most?: Readonly<Record<DatabaseName, number>>
}[] = [
  { operation: 'start to ready, ms', key: 'readyMs', most: { sqlite: 650, postgres: 750 } },
  { operation: 'start to ready, CPU ms', key: 'readyCpuMs' },
  { operation: 'memory idle, MiB', key: 'idleMib', most: { sqlite: 112, postgres: 118 } },
  { operation: 'memory peak, MiB', key: 'peakMib', most: { sqlite: 190, postgres: 200 } },
]
/** Goals for the engine's start divided by gatehouse's start, in processor time. */
const startGoal: Readonly<Record<DatabaseName, number>> = { sqlite: 0.9, postgres: 1 }

export const footprintLines = (own: Footprint, others: Readonly<Record<string, Footprint>>, database: DatabaseName): Line[] => {
  const lines = limits.flatMap(({ operation, key, most }): Line[] => {
    const value = own[key]
    if (!isNumber(value)) return []
    const rival = Object.entries(others).map(([name, footprint]) => `${name} ${Math.round(footprint[key] ?? 0)}`)
    const goal = most?.[database]
    return [
      {
        operation: `${operation}: ${Math.round(value)}`,
        rival: rival.join(', '),
        goal: goal === undefined ? '' : `≤ ${goal}`,
        met: goal === undefined ? undefined : value <= goal,
      },
    ]
  })
  const [mine, engines] = [own.readyCpuMs, others['engine']?.readyCpuMs]
  if (!isNumber(mine) || !isNumber(engines)) return lines
  const goal = startGoal[database]
  const cpuRatio = engines / mine
  return [...lines, { operation: 'start', rival: 'engine', cpuRatio, goal: `≥ ${goal}`, met: cpuRatio >= goal }]
}

/** The line about the processor time of one command of the command line. */
export const commandLine = (seconds: number): Line => ({
  operation: `gatehouse list-users, CPU s: ${seconds.toFixed(2)}`,
  goal: '≤ 0.45',
  met: seconds <= 0.45,
})

const round = (value: number | undefined, digits = 0): string =>
  value === undefined ? '' : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })

const columns: readonly { readonly title: string; readonly text: (line: Line) => string; readonly isText?: true }[] = [
  { title: 'operation', text: (line) => line.operation, isText: true },
  { title: 'op/s', text: (line) => round(line.perSecond, (line.perSecond ?? 100) < 100 ? 1 : 0) },
  { title: 'CPU µs', text: (line) => round(line.cpuMicros) },
  { title: 'p50 ms', text: (line) => round(line.p50, 2) },
  { title: 'p99 ms', text: (line) => round(line.p99, 2) },
  { title: 'against', text: (line) => line.rival ?? '', isText: true },
  { title: 'op/s', text: (line) => round(line.rivalPerSecond, (line.rivalPerSecond ?? 100) < 100 ? 1 : 0) },
  { title: 'CPU µs', text: (line) => round(line.rivalCpuMicros) },
  { title: '× CPU', text: (line) => round(line.cpuRatio, 2) },
  { title: '× op/s', text: (line) => round(line.speedRatio, 2) },
  { title: 'goal', text: (line) => line.goal, isText: true },
  { title: '', text: ({ met }) => (met === undefined ? '' : met ? 'met' : 'NOT MET'), isText: true },
]

/** A Markdown table that is also readable as plain text. */
export const formatTable = (lines: readonly Line[]): string => {
  const rows = [columns.map(({ title }) => title), ...lines.map((line) => columns.map(({ text }) => text(line)))]
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0), 3))
  const print = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (columns[i]?.isText ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = `|${columns.map(({ isText }, i) => `${'-'.repeat((widths[i] ?? 0) + 1)}${isText ? '-' : ':'}`).join('|')}|`
  const [head = [], ...body] = rows
  return [print(head), rule, ...body.map(print)].join('\n')
}
