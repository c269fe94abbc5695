import type { Db, Tx } from '../../core/db/database.ts'
import { nullable, type Row, table, text, time } from '../../core/db/table.ts'
import { type ArtifactRow, artifacts } from '../artifacts/store.ts'

const columns = {
  id: text,
  userCode: text,
  polledAt: nullable(time),
  decidedAt: nullable(time),
}
const deviceCodes = table('device_code', columns)
export type DeviceCodeRow = Row<typeof columns>

/** Stores a device code, together with the row that the library needs for the code. */
export const insertDeviceCode = async (tx: Tx, artifact: ArtifactRow, userCode: string): Promise<void> => {
  await artifacts.insert(tx, artifact)
  await deviceCodes.insert(tx, { id: artifact.id, userCode, polledAt: null, decidedAt: null })
}

/** The id of the device code whose user code has one of the given signatures; undefined if there is none. */
export const findDeviceCode = async (db: Db, userCodes: readonly string[]): Promise<DeviceCodeRow | undefined> =>
  (await deviceCodes.findAll(db, 'userCode', userCodes))[0]

/** Marks the device code as decided and locks its row. Returns false if somebody has decided before. */
export const decideDeviceCode = (tx: Tx, id: string, decidedAt: Date): Promise<boolean> =>
  deviceCodes.updateOne(tx, { id, decidedAt: null }, { decidedAt })

/** Stores what the library changes in its row of a device code when somebody decides about the code. */
export const storeDecision = (
  tx: Tx,
  id: string,
  decision: Pick<ArtifactRow, 'payload'> & Partial<Pick<ArtifactRow, 'accountId' | 'sessionId' | 'grantId'>>,
): Promise<boolean> => artifacts.updateOne(tx, { id }, decision)

/** Stores the time of a poll. Returns false if the device has polled after `notAfter` already. */
export const notePoll = async (tx: Tx, id: string, now: Date, notAfter: Date): Promise<boolean> => {
  const inTime = await tx
    .knex(deviceCodes.name)
    .where({ id })
    .where((rows) => rows.whereNull('polled_at').orWhere('polled_at', '<=', notAfter))
    .update({ polled_at: now })
  if (inTime === 1) return true
  await deviceCodes.updateOne(tx, { id }, { polledAt: now })
  return false
}
