import { BlockList, isIPv6 } from 'node:net'

/**
 * Reads the id of a key from an operator's text, which is the id itself or the readable start of a key. Returns undefined for other text,
 * including a complete key.
 */
export const idIn = (text: string): string | undefined =>
  /^(?:gh_(?:user|org|instance)_)?([A-Za-z0-9]{16})$/.exec(text.trim())?.[1]

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** True when the canonical address is in one of the networks, or when no networks are listed. */
export const isAllowedFrom = (networks: readonly string[], address: string): boolean => {
  if (networks.length === 0) return true
  if (address === '') return false
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(base, familyOf(base))
    else list.addSubnet(base, Number(bits), familyOf(base))
  }
  return list.check(address, familyOf(address))
}

/** True if a key or secret has expired. One without an end never expires. */
export const isOver = (expiresAt: Date | null, now: Date): boolean => expiresAt !== null && expiresAt <= now

/** The stored time of last use has to be this old, in seconds, before it is written again. */
const lastUseSeconds = 60

/** True when a use at `now` has to be written. At most one use a minute is written. */
export const isUseDue = (lastUsedAt: Date | null, now: Date): boolean =>
  lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= lastUseSeconds * 1000

type Value = string | number | boolean | null | string[]

/** The fields of a key that can be changed. */
interface Settings {
  readonly name: string
  readonly permissions: readonly string[]
  readonly allowedNetworks: readonly string[]
  readonly requestsPerMinute: number | null
  readonly enabled: boolean
  readonly expiresAt: Date | null
}

const comparable = ({ name, permissions, allowedNetworks, requestsPerMinute, enabled, expiresAt }: Settings) => ({
  name,
  permissions: [...permissions],
  allowedNetworks: [...allowedNetworks],
  requestsPerMinute,
  enabled,
  expiresAt: expiresAt?.toISOString() ?? null,
})

/** The names of the changed settings with their old and new values. The key's name is left out because it is personal text. */
export const changesOf = (before: Settings, after: Settings) => {
  const [old, fresh]: readonly Readonly<Record<string, Value>>[] = [comparable(before), comparable(after)]
  const fields = Object.keys(old ?? {}).filter((field) => JSON.stringify(old?.[field]) !== JSON.stringify(fresh?.[field]))
  const valuesOf = (of: Readonly<Record<string, Value>> = {}): Record<string, Value> =>
    Object.fromEntries(fields.filter((field) => field !== 'name').map((field) => [field, of[field] ?? null]))
  return { fields, before: valuesOf(old), after: valuesOf(fresh) }
}
