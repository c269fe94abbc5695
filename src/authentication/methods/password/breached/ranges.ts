import type { Clock } from '../../../../core/clock.ts'
import type { Outbound } from '../../../../core/fetch.ts'
import { BreachedListError } from './header.ts'

const prefixLength = 5
/** The largest number of ranges in the cache. Each range takes 40 kB. */
const mostRanges = 100
const rangeSeconds = 3600
/** Seconds after a failure in which the service is not called, so that not everybody who sets a password has to wait for it. */
const pauseSeconds = 30
const line = /^([0-9A-F]{35}):(\d{1,12})$/i

interface Range {
  readonly suffixes: ReadonlySet<string>
  readonly until: Date
}

/** Reads the suffixes of a range. Suffixes with the count 0 are padding and are left out. Throws `BreachedListError` for an invalid answer. */
const parseRange = (text: string): ReadonlySet<string> => {
  const lines = text.split(/\r?\n/).filter((one) => one !== '')
  const suffixes = new Set<string>()
  for (const one of lines) {
    const [, suffix, count] = line.exec(one) ?? []
    if (suffix === undefined) throw new BreachedListError('it answered with something else than a range of hashes')
    if (Number(count) > 0) suffixes.add(suffix.toUpperCase())
  }
  // Every range of a real list has hundreds of entries, so an empty answer is wrong.
  if (lines.length === 0) throw new BreachedListError('its answer was empty')
  return suffixes
}

interface Deps {
  readonly outbound: Outbound
  readonly clock: Clock
  /** The URL of the service, with a slash at its end. */
  readonly url: string
}

/**
 * Looks up passwords at a service with k-anonymity: the service learns only the first five of the forty hex digits of the hash. The
 * padding of the answer hides the number of its entries.
 */
export const createRangeList = ({ outbound, clock, url }: Deps) => {
  const ranges = new Map<string, Range>()
  const asking = new Map<string, Promise<ReadonlySet<string>>>()
  let failure: { readonly error: unknown; readonly until: Date } | undefined

  const ask = async (prefix: string): Promise<ReadonlySet<string>> => {
    const { status, text } = await outbound.send(`${url}${prefix}`, { headers: { 'Add-Padding': 'true', accept: 'text/plain' } })
    if (status !== 200) throw new BreachedListError(`it answered with status ${status}`)
    const suffixes = parseRange(text)
    const [oldest] = ranges.keys()
    if (ranges.size >= mostRanges && oldest !== undefined) ranges.delete(oldest)
    ranges.set(prefix, { suffixes, until: clock.after(rangeSeconds) })
    return suffixes
  }

  /** Simultaneous look-ups in the same range share one request. */
  const askOnce = (prefix: string): Promise<ReadonlySet<string>> => {
    const asked =
      asking.get(prefix) ??
      ask(prefix)
        .then(
          (suffixes) => {
            failure = undefined
            return suffixes
          },
          (error: unknown) => {
            failure = { error, until: clock.after(pauseSeconds) }
            throw error
          },
        )
        .finally(() => asking.delete(prefix))
    asking.set(prefix, asked)
    return asked
  }

  return {
    /** True if the list contains the digest. Throws if the service cannot be reached. */
    has: async (digest: Buffer): Promise<boolean> => {
      const hex = digest.toString('hex').toUpperCase()
      const prefix = hex.slice(0, prefixLength)
      const known = ranges.get(prefix)
      const isKnown = known !== undefined && known.until > clock.now()
      if (!isKnown && failure !== undefined && failure.until > clock.now()) throw failure.error
      const suffixes = isKnown ? known.suffixes : await askOnce(prefix)
      return suffixes.has(hex.slice(prefixLength))
    },
    isFailing: () => failure !== undefined,
    /** Requests a fixed range, so that the request reveals nothing about anybody's password. Throws if the service cannot be reached. */
    probe: async (): Promise<void> => void (await askOnce('00000')),
  }
}
