import type { Tx } from '../../../core/db/database.ts'
import { type Row, sealedOrHash, table, text, time } from '../../../core/db/table.ts'

export const contextOf = (id: string) => `verification/value/${id}`

const columns = { id: text, identifier: text, value: sealedOrHash(contextOf), expiresAt: time, createdAt: time, updatedAt: time }
const verifications = table('verification', columns)
export const { sealedColumns } = verifications
export type VerificationRow = Row<typeof columns>

/** Distinguishes these rows from the other one-time values of the table. */
export const statePrefix = 'social:'

export const insertState = (tx: Tx, row: VerificationRow) => verifications.insert(tx, row)

export const exists = async (tx: Tx, id: string): Promise<boolean> => (await verifications.find(tx, { id })) !== undefined

/** Takes the row, whose use this is: of several requests with the same state one deletes it, and that one has it. */
export const takeState = async (tx: Tx, identifier: string, now: Date): Promise<VerificationRow | undefined> => {
  const row = await verifications.find(tx, { identifier })
  if (row === undefined || row.expiresAt <= now) return undefined
  return (await verifications.delete(tx, { id: row.id })) === 1 ? row : undefined
}
