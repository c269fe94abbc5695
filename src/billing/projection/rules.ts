/** Entities of one customer, in the order in which they are written. */
export const ownedKinds = ['customer', 'customer_state', 'subscription', 'grant', 'order', 'refund'] as const
/** Entities of the seller that many customers' events carry: written in this order and sorted by id, so that no two writers wait in a ring. */
export const catalogueKinds = ['product', 'benefit', 'meter'] as const
export type Kind = (typeof ownedKinds)[number] | (typeof catalogueKinds)[number]
export const kinds: readonly Kind[] = [...ownedKinds, ...catalogueKinds]

/** Names an entity among all. */
export const keyOf = ({ kind, id }: { readonly kind: Kind; readonly id: string }): string => `${kind}:${id}`

/** Keys under which the platform sends what gives access; removed wherever they stand. */
const secretKeys = new Set(['client_secret', 'guild_token', 'payment_processor_metadata', 'customer_session_token'])

/** Shorter texts are none, and stand in others by chance. */
const shortestSecret = 8

/** What is stored and shown: all but secrets, and but texts in which they stand, such as the address of a checkout. */
export const storedData = (data: object): string => {
  const secrets: string[] = []
  const text = JSON.stringify(data, (key: string, value: unknown) => {
    if (!secretKeys.has(key)) return value
    if (typeof value === 'string' && value.length >= shortestSecret) secrets.push(value)
    return undefined
  })
  if (secrets.length === 0) return text
  const isTelling = (value: unknown) => typeof value === 'string' && secrets.some((secret) => value.includes(secret))
  return JSON.stringify(JSON.parse(text), (_key, value: unknown) => (isTelling(value) ? undefined : value))
}
