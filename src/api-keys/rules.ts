import { BlockList, isIPv6 } from 'node:net'

/**
 * The id of an API key in a text that an operator has entered: the id itself, or the readable beginning of the key. Undefined for other
 * text, even for a complete key.
 */
export const idIn = (text: string): string | undefined =>
  /^(?:gh_(?:user|org|instance)_)?([A-Za-z0-9]{16})$/.exec(text.trim())?.[1]

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** True if the IP address, in canonical form, is in one of the networks. Also true if the list of networks is empty. */
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

/** True if an API key or secret has expired. If `expiresAt` is null, it never expires. */
export const isOver = (expiresAt: Date | null, now: Date): boolean => expiresAt !== null && expiresAt <= now

/** The time of the last use is stored again only if the stored time is at least this old, in seconds. */
const lastUseSeconds = 60

/** True if a use at `now` has to be stored. At most one use a minute is. */
export const isUseDue = (lastUsedAt: Date | null, now: Date): boolean =>
  lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= lastUseSeconds * 1000

type Value = string | number | boolean | null | string[]

/** The fields of an API key that can be changed. */
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

/**
 * The changed fields of an API key, with old and new values. The old and new name are left out, because people write personal text into
 * names.
 */
export const changesOf = (before: Settings, after: Settings) => {
  const [old, fresh]: readonly Readonly<Record<string, Value>>[] = [comparable(before), comparable(after)]
  const fields = Object.keys(old ?? {}).filter((field) => JSON.stringify(old?.[field]) !== JSON.stringify(fresh?.[field]))
  const valuesOf = (of: Readonly<Record<string, Value>> = {}): Record<string, Value> =>
    Object.fromEntries(fields.filter((field) => field !== 'name').map((field) => [field, of[field] ?? null]))
  return { fields, before: valuesOf(old), after: valuesOf(fresh) }
}
