import type { Counter, Histogram, Registry } from 'prom-client'

/**
 * Name and meaning of a metric in Prometheus. The values of its labels must not grow in number with the users, so ids and addresses are
 * never labels.
 */
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

/**
 * The metrics of an instance. Features declare a metric where they measure it; nothing is loaded or stored before `start`. If rebuilt
 * features declare a metric again, it continues; a gauge is then read by the newest declaration.
 */
export interface Metrics {
  /** Declares a counter. Returns a function that adds one. */
  counter<Label extends string>(options: MetricOptions<Label>): (labels: Labels<Label>) => void
  /** Declares a histogram. Returns a function that records one observation, in the unit at the end of the name. `buckets` are upper bounds. */
  histogram<Label extends string>(
    options: MetricOptions<Label> & { readonly buckets: readonly number[] },
  ): (labels: Labels<Label>, value: number) => void
  /** Declares a gauge. `read` is called only when the metrics are read, which is rare, so it may query the database by an index. */
  gauge<Label extends string>(
    options: MetricOptions<Label>,
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void
  /** Loads the library and starts to count. Further calls do nothing. */
  start(): Promise<void>
  /** All metrics in the text format of Prometheus 0.0.4. Empty before `start`. */
  text(): Promise<string>
}

type Library = typeof import('prom-client')
type Declare = (library: Library, registry: Registry) => void

/** The metrics of one instance. Before `start`, recording calls an empty function. */
export const createMetrics = (): Metrics => {
  type Read = () => readonly Sample<string>[] | Promise<readonly Sample<string>[]>
  interface Declared {
    readonly declare: Declare
    counter?: Counter
    histogram?: Histogram
    read?: Read
  }
  const declared = new Map<string, Declared>()
  let registry: Registry | undefined
  let library: Library | undefined
  let starting: Promise<void> | undefined

  const load = async () => {
    library = await import('prom-client')
    const made = new library.Registry()
    library.collectDefaultMetrics({ register: made })
    registry = made
    for (const { declare } of declared.values()) declare(library, made)
  }
  const shape = ({ name, help, labels }: MetricOptions<string>, made: Registry) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [made],
  })
  /** The metric of this name, which its first declaration creates. */
  const once = (name: string, declareBy: (metric: Declared) => Declare): Declared => {
    const known = declared.get(name)
    if (known !== undefined) return known
    const metric: Declared = { declare: (...made) => declareBy(metric)(...made) }
    declared.set(name, metric)
    if (library !== undefined && registry !== undefined) metric.declare(library, registry)
    return metric
  }

  return {
    counter: (options) => {
      const metric = once(options.name, (own) => ({ Counter }, made) => {
        own.counter = new Counter(shape(options, made))
      })
      return (labels) => metric.counter?.inc(labels)
    },
    histogram: ({ buckets, ...options }) => {
      const metric = once(options.name, (own) => ({ Histogram }, made) => {
        own.histogram = new Histogram({ ...shape(options, made), buckets: [...buckets] })
      })
      return (labels, value) => metric.histogram?.observe(labels, value)
    },
    gauge: (options, read) => {
      const metric = once(options.name, (own) => ({ Gauge }, made) => {
        const gauge = new Gauge({
          ...shape(options, made),
          collect: async () => {
            // If a reading fails, only its metric is left out.
            gauge.reset()
            for (const { labels, value } of await Promise.resolve(own.read?.() ?? []).catch(() => [])) gauge.set(labels, value)
          },
        })
      })
      metric.read = read as Read
    },
    start: () => {
      starting ??= load()
      return starting
    },
    text: async () => (await registry?.metrics()) ?? '',
  }
}
