import type { Db } from '../../core/database.ts'
import { nullable, oneOf, type Row, table, text, time } from '../../core/table.ts'

const linkColumns = {
  customerId: text,
  userId: nullable(text),
  organizationId: nullable(text),
  linkedBy: oneOf('external_id', 'email', 'operator'),
  linkedAt: time,
}
const links = table('billing_link', linkColumns)
export type LinkRow = Row<typeof linkColumns>

const deliveryColumns = { id: text, endpoint: text, webhookId: text, eventType: nullable(text), receivedAt: time }
const deliveries = table('billing_delivery', deliveryColumns)
export type DeliveryRow = Row<typeof deliveryColumns>

/** Links and deliveries by their keys: what explains where an entitlement comes from. */
export const listLinks = async (db: Db, customerIds: readonly string[]): Promise<ReadonlyMap<string, LinkRow>> => {
  const rows: Record<string, unknown>[] = await db.knex(links.name).whereIn('customer_id', [...customerIds])
  return new Map(rows.map((row) => links.decode(row)).map((row) => [row.customerId, row]))
}
export const listDeliveries = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, DeliveryRow>> => {
  const rows: Record<string, unknown>[] = await db
    .knex(deliveries.name)
    .whereIn('id', [...ids])
    .select('id', 'endpoint', 'webhook_id', 'event_type', 'received_at')
  return new Map(rows.map((row) => deliveries.decode(row)).map((row) => [row.id, row]))
}
