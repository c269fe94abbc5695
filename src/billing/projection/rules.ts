/** Entities of one customer, in the order in which they are written. */
export const ownedKinds = ['customer', 'customer_state', 'subscription', 'grant', 'order', 'refund', 'checkout'] as const
/** Entities of the seller that many customers' events carry: written in this order and sorted by id, so that no two writers wait in a ring. */
export const catalogueKinds = ['product', 'price', 'benefit', 'discount', 'meter', 'seller'] as const
export type Kind = (typeof ownedKinds)[number] | (typeof catalogueKinds)[number]
export const kinds: readonly Kind[] = [...ownedKinds, ...catalogueKinds]

/** Names an entity among all. */
export const keyOf = ({ kind, id }: { readonly kind: Kind; readonly id: string }): string => `${kind}:${id}`

/** Keys under which the platform sends what gives access; removed wherever they stand. */
const secretKeys = new Set(['client_secret', 'guild_token', 'payment_processor_metadata', 'customer_session_token'])

/** What is stored of an entity: all but secrets. */
export const storedData = (data: object): string =>
  JSON.stringify(data, (key: string, value: unknown) => (secretKeys.has(key) ? undefined : value))
