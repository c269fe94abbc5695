import type { Outcome } from './contests/run.ts'
import type { Storm } from './contests/storm.ts'
import type { Summary } from './load/load.ts'
import type { DatabaseName } from './options.ts'

/** One line of the table and of the JSON. */
export interface Line {
  readonly operation: string
  readonly perSecond?: number
  readonly cpuMicros?: number
  readonly p50?: number
  readonly p99?: number
  /** What it is held against. */
  readonly rival?: string
  readonly rivalPerSecond?: number
  readonly rivalCpuMicros?: number
  /** By processor time, and by answers a second: gatehouse over rival, higher is better. */
  readonly cpuRatio?: number
  readonly speedRatio?: number
  readonly goal: string
  readonly met: boolean
}

const isNumber = (value: number | undefined): value is number => value !== undefined && Number.isFinite(value)

const figures = (own: Summary) => ({
  perSecond: own.perSecond,
  ...(isNumber(own.cpuMicros) ? { cpuMicros: own.cpuMicros } : {}),
  p50: own.p50,
  p99: own.p99,
})

/** Processor time decides where it is known: on a shared machine it is the steadier figure, and no load generator limits it. */
export const contestLines = ({ name, gatehouse, rivals }: Outcome, database: DatabaseName): Line[] =>
  rivals.map(({ rival, summary }) => {
    const speedRatio = gatehouse.perSecond / summary.perSecond
    const known = isNumber(gatehouse.cpuMicros) && isNumber(summary.cpuMicros)
    const cpuRatio = known ? Number(summary.cpuMicros) / Number(gatehouse.cpuMicros) : undefined
    const goal = rival.goal[database]
    return {
      operation: name,
      ...figures(gatehouse),
      rival: rival.label,
      rivalPerSecond: summary.perSecond,
      ...(isNumber(summary.cpuMicros) ? { rivalCpuMicros: summary.cpuMicros } : {}),
      ...(cpuRatio === undefined ? {} : { cpuRatio }),
      speedRatio,
      goal: `≥ ${Number(goal.toFixed(2))}`,
      met: (cpuRatio ?? speedRatio) >= goal,
    }
  })

/** Checks stay quick, and hardly fewer people get in than without a bound on running hashes. */
export const stormLines = (own: Storm, uncapped: Storm): Line[] => {
  const speedRatio = own.signInsPerSecond / uncapped.signInsPerSecond
  return [
    {
      operation: 'get-session while 32 sign in',
      p50: own.p50,
      p99: own.p99,
      rival: `floor, unbounded: p99 ${Math.round(uncapped.p99)} ms`,
      goal: 'p99 ≤ 15 ms',
      met: own.p99 <= 15,
    },
    {
      operation: 'sign-in of the 32',
      perSecond: own.signInsPerSecond,
      rival: 'floor, unbounded',
      rivalPerSecond: uncapped.signInsPerSecond,
      speedRatio,
      goal: '≥ 0.9',
      met: speedRatio >= 0.9,
    },
  ]
}

export interface Footprint {
  readonly readyMs: number
  readonly idleMib?: number
  readonly peakMib?: number
}

const limits = [
  { operation: 'start to ready, ms', key: 'readyMs', most: 650 },
  { operation: 'memory idle, MiB', key: 'idleMib', most: 120 },
  { operation: 'memory peak, MiB', key: 'peakMib', most: 250 },
] as const

export const footprintLines = (own: Footprint, others: Readonly<Record<string, Footprint>>): Line[] =>
  limits.flatMap(({ operation, key, most }) => {
    const value = own[key]
    if (!isNumber(value)) return []
    const rival = Object.entries(others).map(([name, footprint]) => `${name} ${Math.round(footprint[key] ?? 0)}`)
    return { operation: `${operation}: ${Math.round(value)}`, rival: rival.join(', '), goal: `≤ ${most}`, met: value <= most }
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
  { title: '', text: (line) => (line.met ? 'met' : 'NOT MET'), isText: true },
]

/** A Markdown table that is readable as plain text too. */
export const formatTable = (lines: readonly Line[]): string => {
  const rows = [columns.map(({ title }) => title), ...lines.map((line) => columns.map(({ text }) => text(line)))]
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0), 3))
  const print = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (columns[i]?.isText ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = `|${columns.map(({ isText }, i) => `${'-'.repeat((widths[i] ?? 0) + 1)}${isText ? '-' : ':'}`).join('|')}|`
  const [head = [], ...body] = rows
  return [print(head), rule, ...body.map(print)].join('\n')
}
