import { parseArgs } from 'node:util'

export type DatabaseName = 'sqlite' | 'postgres'

export interface Options {
  /** Short rounds, to see that everything works: the figures mean little. */
  readonly quick: boolean
  /** Parts of names of what to measure; empty: everything. */
  readonly only: readonly string[]
  readonly databases: readonly DatabaseName[]
  /** JSON on standard output instead of tables. */
  readonly json: boolean
  /** Another checkout, whose gatehouse every contest is held against too. */
  readonly beside?: string
  /** Shows what the servers write. */
  readonly verbose: boolean
  readonly rounds: number
  readonly seconds: number
  /** Deliveries in the full inbox. */
  readonly rows: number
  /** How many organizations growth is measured among. */
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

/** Throws a `TypeError` with the reason when the arguments are wrong. */
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
