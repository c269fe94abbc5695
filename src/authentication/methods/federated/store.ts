import type { Tx } from '../../../core/db/database.ts'
import type { Row } from '../../../core/db/table.ts'
import { contextOf, signInStates } from '../../verification/table.ts'

export { contextOf }
export const { sealedColumns } = signInStates
export type VerificationRow = Row<typeof signInStates.columns>

/** Distinguishes states from other one-time values in the table. */
export const statePrefix = 'social:'

export const insertState = (tx: Tx, row: VerificationRow) => signInStates.insert(tx, row)

export const exists = async (tx: Tx, id: string): Promise<boolean> => (await signInStates.find(tx, { id })) !== undefined

/** Deletes the row of a state and returns it. Of several requests with the same state, only one gets it. */
export const takeState = async (tx: Tx, identifier: string, now: Date): Promise<VerificationRow | undefined> => {
  const row = await signInStates.find(tx, { identifier })
  if (row === undefined || row.expiresAt <= now) return undefined
  return (await signInStates.delete(tx, { id: row.id })) === 1 ? row : undefined
}
