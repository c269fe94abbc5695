import type { Db, Tx } from '../core/db/database.ts'
import { bool, document, nullable, oneOf, type Row, table, text, time } from '../core/db/table.ts'
import { record } from '../core/stored-json.ts'
import { objectKinds } from './contract.ts'
import type { Form } from './rules.ts'

const columns = {
  kind: oneOf(...objectKinds),
  key: text,
  objectId: text,
  source: text,
  isMade: bool,
  isDeclared: bool,
  form: document<Form>(() => record),
  secretHash: nullable(text),
  appliedAt: time,
}
const applied = table('applied_object', columns)
export type AppliedRow = Row<typeof columns>

/** All objects that declarations manage. There are few of them, because operators wrote each one by hand. */
export const listApplied = (db: Db) => applied.list(db, {}, { orderBy: 'key' })
export const insertApplied = (tx: Tx, row: AppliedRow) => applied.insert(tx, row)
export const updateApplied = (tx: Tx, row: AppliedRow) => applied.updateOne(tx, { kind: row.kind, key: row.key }, row)
export const deleteApplied = (tx: Tx, { kind, key }: Pick<AppliedRow, 'kind' | 'key'>) => applied.delete(tx, { kind, key })
