import type { Tx } from '../../../core/db/database.ts'
import type { Row } from '../../../core/db/table.ts'
import { contextOf, signInStates } from '../../verification/table.ts'

export { contextOf }
export const { sealedColumns } = signInStates
export type VerificationRow = Row<typeof signInStates.columns>

/** Marks the rows of the table `verification` that are states of federated sign-ins. */
export const statePrefix = 'social:'

export const insertState = (tx: Tx, row: VerificationRow) => signInStates.insert(tx, row)

export const exists = async (tx: Tx, id: string): Promise<boolean> => (await signInStates.find(tx, { id })) !== undefined

/** Deletes the row of a state and returns it. If several requests send the same state, only one of them gets the row. */
export const takeState = async (tx: Tx, identifier: string, now: Date): Promise<VerificationRow | undefined> => {
  const row = await signInStates.find(tx, { identifier })
  if (row === undefined || row.expiresAt <= now) return undefined
  return (await signInStates.delete(tx, { id: row.id })) === 1 ? row : undefined
}
