/** Kinds of entities that belong to one customer, in the order in which their rows are written. */
export const ownedKinds = ['customer', 'customer_state', 'subscription', 'grant', 'order', 'refund'] as const
/**
 * Kinds of entities that belong to the seller. They occur in events about many customers. Their rows are written in this order, and
 * sorted by id within each kind, so that two writers do not deadlock.
 */
export const catalogueKinds = ['product', 'benefit', 'meter'] as const
export type Kind = (typeof ownedKinds)[number] | (typeof catalogueKinds)[number]
export const kinds: readonly Kind[] = [...ownedKinds, ...catalogueKinds]

/** The unique key of an entity. */
export const keyOf = ({ kind, id }: { readonly kind: Kind; readonly id: string }): string => `${kind}:${id}`

/**
 * The effect of an event. `applied`: at least one version in it was newer than the stored one. `superseded`: the stored versions of all
 * its entities were newer. `ignored`: gatehouse derives nothing from events of this type.
 */
export const outcomes = ['applied', 'superseded', 'ignored'] as const
export type Outcome = (typeof outcomes)[number]

/** Keys whose values are secrets or give access. They are removed from stored data at any depth. */
const secretKeys = new Set(['client_secret', 'guild_token', 'payment_processor_metadata', 'customer_session_token'])

/** A text that is shorter than this is not treated as a secret, because it may occur in other texts by chance. */
const shortestSecret = 8

/** Makes the JSON that is stored and displayed. It leaves out secrets, and every text that contains a secret, such as the URL of a checkout. */
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
