import { parseArgs } from 'node:util'

export type DatabaseName = 'sqlite' | 'postgres'

export interface Options {
  /** True for short rounds, which show whether everything works. Their figures mean little. */
  readonly quick: boolean
  /** Parts of the names of contests to run. Empty for all contests. */
  readonly only: readonly string[]
  readonly databases: readonly DatabaseName[]
  /** True for JSON on standard output in place of tables. */
  readonly json: boolean
  /** Path of another checkout. Every contest also compares gatehouse with the gatehouse of that checkout. */
  readonly beside?: string
  /** True to show the output of the servers. */
  readonly verbose: boolean
  readonly rounds: number
  readonly seconds: number
  /** Number of deliveries in the full inbox. */
  readonly rows: number
  /** Number of other organizations in the contests that measure growth. */
  readonly organizations: number
}

export const usage = `Usage: npm run bench -- [options]
  --quick                  one round of half a second each, 1000 organizations: does it work?
  --only <name>            only what has this in its name; may be repeated
  --database <name>        sqlite or postgres; both when not given
  --rounds <n>             rounds of each contest (5)
  --seconds <n>            length of a round (2)
  --rows <n>               deliveries in the full inbox (1,000,000)
  --organizations <n>      how many organizations "growth" is measured among (100000)
  --beside <directory>     hold every contest against the gatehouse of this checkout too
  --verbose                show what the servers write
  --json                   JSON on standard output, progress on standard error
`

const database = (name: string): DatabaseName => {
  if (name === 'sqlite' || name === 'postgres') return name
  throw new TypeError(`--database is sqlite or postgres, not ${name}`)
}

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (!(value > 0)) throw new TypeError(`--${name} is a number above 0, not ${text}`)
  return value
}

/** Throws a `TypeError` with the reason if the arguments are invalid. */
export const readOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      database: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      rows: { type: 'string' },
      organizations: { type: 'string' },
      beside: { type: 'string' },
    },
  })
  return {
    quick: values.quick,
    only: values.only.map((name) => name.toLowerCase()),
    databases: (values.database ?? ['sqlite', 'postgres']).map(database),
    json: values.json,
    ...(values.beside === undefined ? {} : { beside: values.beside }),
    verbose: values.verbose,
    rounds: positive('rounds', values.rounds ?? (values.quick ? '1' : '5')),
    seconds: positive('seconds', values.seconds ?? (values.quick ? '0.5' : '2')),
    rows: positive('rows', values.rows ?? (values.quick ? '1000' : '1000000')),
    organizations: positive('organizations', values.organizations ?? (values.quick ? '1000' : '100000')),
  }
}
