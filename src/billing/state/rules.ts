/** Entities of one customer, in the order in which they are written. */
export const ownedKinds = ['customer', 'customer_state', 'subscription', 'grant', 'order', 'refund'] as const
/**
 * Entities of the seller, which appear in events of many customers. They are written in this order and sorted by id, so that writers do
 * not deadlock.
 */
export const catalogueKinds = ['product', 'benefit', 'meter'] as const
export type Kind = (typeof ownedKinds)[number] | (typeof catalogueKinds)[number]
export const kinds: readonly Kind[] = [...ownedKinds, ...catalogueKinds]

/** The unique key of an entity. */
export const keyOf = ({ kind, id }: { readonly kind: Kind; readonly id: string }): string => `${kind}:${id}`

/**
 * The effect of an event. `superseded`: the stored versions of all its entities are newer. `ignored`: nothing is derived from events of
 * its type.
 */
export const outcomes = ['applied', 'superseded', 'ignored'] as const
export type Outcome = (typeof outcomes)[number]

/** Keys whose values give access. They are removed at any depth. */
const secretKeys = new Set(['client_secret', 'guild_token', 'payment_processor_metadata', 'customer_session_token'])

/** A shorter text is not a secret, and may occur in other texts by chance. */
const shortestSecret = 8

/** JSON for storage and display. It has neither the secrets nor the texts that contain one, such as the address of a checkout. */
export const storedData = (data: object): string => {
  const secrets: string[] = []
  const text = JSON.stringify(data, (key: string, value: unknown) => {
    if (!secretKeys.has(key)) return value
    if (typeof value === 'string' && value.length >= shortestSecret) secrets.push(value)
    return undefined
  })
  if (secrets.length === 0) return text
  const containsSecret = (value: unknown) => typeof value === 'string' && secrets.some((secret) => value.includes(secret))
  return JSON.stringify(JSON.parse(text), (_key, value: unknown) => (containsSecret(value) ? undefined : value))
}
