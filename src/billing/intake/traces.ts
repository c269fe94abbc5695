import type { Db } from '../../core/database.ts'
import { fieldsOf } from './judge.ts'
import { listBodies } from './store/deliveries.ts'

const pageSize = 100

/** Addresses of a customer and ids of checkouts they came from, as far as a body says. */
const namesIn = (body: Buffer): readonly string[] => {
  try {
    const { type, data } = fieldsOf(JSON.parse(body.toString()))
    const { id, email, customer_email, customer, checkout_id } = fieldsOf(data)
    const addresses = [email, customer_email, fieldsOf(customer)['email']].map((value) =>
      typeof value === 'string' && value.includes('@') ? value : '',
    )
    const isCheckout = String(type).startsWith('checkout.')
    return [...addresses, checkout_id, isCheckout ? id : '']
      .filter((name) => typeof name === 'string')
      .filter((name) => name !== '')
  } catch {
    return []
  }
}

/** What texts are looked for in: escapes that JSON may or may not use are gone, and so is the case of addresses. */
const plain = (body: Buffer): string => {
  const text = body.toString()
  try {
    return JSON.stringify(JSON.parse(text)).toLowerCase()
  } catch {
    return text.toLowerCase()
  }
}

async function* bodiesOf(db: Db, customerId: string | null) {
  for (let after: { readonly receivedAt: Date; readonly id: string } | undefined; ; ) {
    const page = await listBodies(db, customerId, after, pageSize)
    yield* page
    after = page.at(-1)
    if (page.length < pageSize) return
  }
}

/**
 * Ids of deliveries that name no customer and yet are about this one: checkouts from before the purchase, which carry address, name and
 * network of the buyer, and what could not be read. They have the customer's id, an address or a checkout of theirs as a whole text.
 */
export const tracesOf = async (db: Db, customerId: string): Promise<readonly string[]> => {
  const names = new Set([customerId])
  for await (const { body } of bodiesOf(db, customerId)) for (const name of namesIn(body)) names.add(name)
  const quoted = [...names].map((name) => JSON.stringify(name).toLowerCase())
  const found: string[] = []
  for await (const { id, body } of bodiesOf(db, null)) {
    const text = plain(body)
    if (quoted.some((name) => text.includes(name))) found.push(id)
  }
  return found
}
