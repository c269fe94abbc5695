import type { Db } from '../../core/database.ts'
import { nullable, oneOf, type Row, table, text, time } from '../../core/table.ts'

const links = table('billing_link', { customerId: text, linkedBy: oneOf('external_id', 'email', 'operator') })
export type LinkedBy = ReturnType<typeof links.decode>['linkedBy']

const deliveryColumns = { id: text, endpoint: text, webhookId: text, eventType: nullable(text), receivedAt: time }
const deliveries = table('billing_delivery', deliveryColumns)
export type DeliveryRow = Row<typeof deliveryColumns>

/** Why each of these customers is somebody's; those that are nobody's are missing. */
export const listLinkedBy = async (db: Db, customerIds: readonly string[]): Promise<ReadonlyMap<string, LinkedBy>> => {
  const rows: Record<string, unknown>[] = await db
    .knex(links.name)
    .whereIn('customer_id', [...customerIds])
    .whereRaw('coalesce(user_id, organization_id) is not null')
  return new Map(rows.map((row) => links.decode(row)).map(({ customerId, linkedBy }) => [customerId, linkedBy]))
}

/** The deliveries behind what somebody holds, by id. */
export const listDeliveries = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, DeliveryRow>> => {
  const rows: Record<string, unknown>[] = await db
    .knex(deliveries.name)
    .whereIn('id', [...ids])
    .select('id', 'endpoint', 'webhook_id', 'event_type', 'received_at')
  return new Map(rows.map((row) => deliveries.decode(row)).map((row) => [row.id, row]))
}
