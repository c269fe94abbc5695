import type { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Names and meaning of a metric, as Prometheus shows them. Labels never hold what grows with users: no ids, no addresses. */
export interface MetricOptions<Label extends string> {
  readonly name: `gatehouse_${string}`
  readonly help: string
  readonly labels: readonly Label[]
}
type Labels<Label extends string> = Readonly<Record<Label, string>>

/** One value of a gauge. */
export interface Sample<Label extends string> {
  readonly labels: Labels<Label>
  readonly value: number
}

/** What is measured. Features declare a metric where it happens; nothing is loaded or kept until `start`. */
export interface Metrics {
  /** Returns what counts one more. */
  counter<Label extends string>(options: MetricOptions<Label>): (labels: Labels<Label>) => void
  /** Returns a function that takes one observation, in the unit with which the name ends. `buckets` are upper bounds. */
  histogram<Label extends string>(
    options: MetricOptions<Label> & { readonly buckets: readonly number[] },
  ): (labels: Labels<Label>, value: number) => void
  /** `read` is called when the metrics are read: rarely, so it may ask the database for what an index answers. */
  gauge<Label extends string>(
    options: MetricOptions<Label>,
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void
  /** Loads the library and counts from then on. Further calls do nothing. */
  start(): Promise<void>
  /** All metrics in the text format of Prometheus 0.0.4. Empty before `start`. */
  text(): Promise<string>
}

type Library = typeof import('prom-client')
type Declare = (library: Library, registry: Registry) => void

/** Makes the metrics of one instance. Without `start` observing costs one call of an empty function. */
export const createMetrics = (): Metrics => {
  const declared: Declare[] = []
  let registry: Registry | undefined
  let starting: Promise<void> | undefined

  const load = async () => {
    const library = await import('prom-client')
    const made = new library.Registry()
    library.collectDefaultMetrics({ register: made })
    for (const declare of declared) declare(library, made)
    registry = made
  }
  const shape = ({ name, help, labels }: MetricOptions<string>, made: Registry) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [made],
  })

  return {
    counter: (options) => {
      let counter: Counter | undefined
      declared.push((library, made) => {
        counter = new library.Counter(shape(options, made))
      })
      return (labels) => counter?.inc(labels)
    },
    histogram: ({ buckets, ...options }) => {
      let histogram: Histogram | undefined
      declared.push((library, made) => {
        histogram = new library.Histogram({ ...shape(options, made), buckets: [...buckets] })
      })
      return (labels, value) => histogram?.observe(labels, value)
    },
    gauge: (options, read) => {
      declared.push((library, made) => {
        const gauge: Gauge = new library.Gauge({
          ...shape(options, made),
          collect: async () => {
            // A reading that fails leaves the metric out: the others are still told.
            gauge.reset()
            for (const { labels, value } of await Promise.resolve(read()).catch(() => [])) gauge.set(labels, value)
          },
        })
      })
    },
    start: () => {
      starting ??= load()
      return starting
    },
    text: async () => (await registry?.metrics()) ?? '',
  }
}
