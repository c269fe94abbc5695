import type { Counter, Histogram, Registry } from 'prom-client'

/**
 * A metric of Prometheus: its name and meaning. The number of different label values must not grow with the number of users, so an id or
 * address must never be a label.
 */
export interface MetricOptions<Label extends string> {
  readonly name: `gatehouse_${string}`
  readonly help: string
  readonly labels: readonly Label[]
}
type Labels<Label extends string> = Readonly<Record<Label, string>>

/** The current value of a gauge for one set of labels. */
export interface Sample<Label extends string> {
  readonly labels: Labels<Label>
  readonly value: number
}

/**
 * The metrics of an instance. Features declare each metric where they measure it. Before `start`, nothing is loaded or stored. When
 * features are built again and declare the same metric again, its counts continue. A gauge is then read with the newest declaration.
 */
export interface Metrics {
  /** Declares a counter. The returned function adds one. */
  counter<Label extends string>(options: MetricOptions<Label>): (labels: Labels<Label>) => void
  /** Declares a histogram. The returned function records one value, in the unit at the end of the metric's name. `buckets` are upper limits. */
  histogram<Label extends string>(
    options: MetricOptions<Label> & { readonly buckets: readonly number[] },
  ): (labels: Labels<Label>, value: number) => void
  /** Declares a gauge. `read` is called only when somebody reads the metrics. That is rare, so `read` may send a query that an index answers. */
  gauge<Label extends string>(
    options: MetricOptions<Label>,
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void
  /** Loads the library and begins to count. Calling it again does nothing. */
  start(): Promise<void>
  /** All metrics in the text format of Prometheus, version 0.0.4. An empty text before `start`. */
  text(): Promise<string>
}

type Library = typeof import('prom-client')
type Declare = (library: Library, registry: Registry) => void

/** Creates the metrics of one instance. Before `start`, recording a value does nothing. */
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
  /** The metric with this name. The first declaration of the name creates it. */
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
            // If reading one gauge fails, only that gauge is left out.
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
