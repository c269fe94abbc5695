import { originInstead, redirectProblem } from '../../../src/core/redirect-address.ts'
import { isLoopbackHost, isLoopbackUrl } from '../../../src/core/web.ts'
import type { Key } from '../../shared/i18n.ts'
import type { Application } from './parts.tsx'

/** A remark on a typed URL. If `isError` is true, the server would refuse the URL. Otherwise the remark is only advice. */
export interface Remark {
  readonly address: string
  readonly text: Extract<Key, `clients.address.${string}`>
  readonly isError: boolean
}

/** Splits a text at blanks and line breaks, and drops duplicates. URLs and scopes contain no blanks. */
export const wordsOf = (text: string): readonly string[] => [...new Set(text.split(/\s+/).filter((word) => word !== ''))]

const problemOf = (address: string, isNative: boolean): Remark['text'] | undefined => {
  if (address.includes('*')) return 'clients.address.wildcard'
  const problem = redirectProblem(address, isNative)
  return problem === undefined ? undefined : `clients.address.${problem}`
}

/**
 * Remarks on redirect URIs. `host` is the host of this installation. If it is not a loopback host, the installation counts as a
 * production installation, and loopback redirect URIs get a remark.
 */
export const redirectRemarks = (addresses: readonly string[], type: Application['type'], host: string): readonly Remark[] =>
  addresses.flatMap((address): Remark[] => {
    const problem = problemOf(address, type === 'native')
    if (problem !== undefined) return [{ address, text: problem, isError: true }]
    const local: Remark = { address, text: 'clients.address.local', isError: false }
    const slash: Remark = { address, text: 'clients.address.slash', isError: false }
    // Native applications use loopback addresses on purpose (RFC 8252, section 7.3), so they get no remark.
    const isLocal = type !== 'native' && isLoopbackUrl(address) && !isLoopbackHost(host)
    return [...(isLocal ? [local] : []), ...(address.endsWith('/') ? [slash] : [])]
  })

/** Remarks on the origins that may make cross-origin calls. */
export const originRemarks = (origins: readonly string[]): readonly Remark[] =>
  origins.flatMap((address): Remark[] => {
    const problem = problemOf(address, false) ?? (originInstead(address) === undefined ? undefined : 'clients.address.origin')
    return problem === undefined ? [] : [{ address, text: problem, isError: true }]
  })

/** The origins of a single-page application, taken from its redirect URIs. */
export const originsOf = (addresses: readonly string[]): readonly string[] => [
  ...new Set(
    addresses.filter((address) => redirectProblem(address, false) === undefined).map((address) => new URL(address).origin),
  ),
]
