import { originInstead, redirectProblem } from '../../../src/core/redirect-address.ts'
import { isLoopbackHost, isLoopbackUrl } from '../../../src/core/web.ts'
import type { Key } from '../../shared/i18n.ts'
import type { Application } from './parts.tsx'

/** A remark on an address. The server refuses addresses with an error; other remarks are advice. */
export interface Remark {
  readonly address: string
  readonly text: Extract<Key, `clients.address.${string}`>
  readonly isError: boolean
}

/** Splits a text at blanks and line breaks. Addresses and scopes contain no blanks. */
export const wordsOf = (text: string): readonly string[] => [...new Set(text.split(/\s+/).filter((word) => word !== ''))]

const problemOf = (address: string, isNative: boolean): Remark['text'] | undefined => {
  if (address.includes('*')) return 'clients.address.wildcard'
  const problem = redirectProblem(address, isNative)
  return problem === undefined ? undefined : `clients.address.${problem}`
}

/** Remarks on redirect addresses. `host` is the host of this installation, which counts as in production unless it is a loopback host. */
export const redirectRemarks = (addresses: readonly string[], type: Application['type'], host: string): readonly Remark[] =>
  addresses.flatMap((address): Remark[] => {
    const problem = problemOf(address, type === 'native')
    if (problem !== undefined) return [{ address, text: problem, isError: true }]
    const local: Remark = { address, text: 'clients.address.local', isError: false }
    const slash: Remark = { address, text: 'clients.address.slash', isError: false }
    // Native applications use loopback on purpose (RFC 8252, section 7.3).
    const isLocal = type !== 'native' && isLoopbackUrl(address) && !isLoopbackHost(host)
    return [...(isLocal ? [local] : []), ...(address.endsWith('/') ? [slash] : [])]
  })

/** Remarks on origins. */
export const originRemarks = (origins: readonly string[]): readonly Remark[] =>
  origins.flatMap((address): Remark[] => {
    const problem = problemOf(address, false) ?? (originInstead(address) === undefined ? undefined : 'clients.address.origin')
    return problem === undefined ? [] : [{ address, text: problem, isError: true }]
  })

/** The origins of a single-page application, from its redirect addresses. */
export const originsOf = (addresses: readonly string[]): readonly string[] => [
  ...new Set(
    addresses.filter((address) => redirectProblem(address, false) === undefined).map((address) => new URL(address).origin),
  ),
]
