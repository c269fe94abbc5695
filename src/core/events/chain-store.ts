import type { Sealed } from '../crypto.ts'
import { type Db, readPrepared, type Tx } from '../db/database.ts'
import { int, type Row, sealed, table, text, time } from '../db/table.ts'
import { sealedColumns as segmentColumns } from './segment-store.ts'

export const headContext = 'event_chain.seal:events'
export const checkpointContext = (id: string) => `event_checkpoint.seal:${id}`

const headColumns = {
  /** Always `events`: there is only one chain, so the table has only one row. */
  id: text,
  /** Position of the newest sealed event. The next column contains the hash of that event. */
  position: int,
  hash: text,
  /**
   * Position of the newest event that retention has deleted. The next column contains the hash of that event. The stored chain begins
   * after this position.
   */
  startPosition: int,
  startHash: text,
  /**
   * The other columns of the row, sealed with the master secret. Every change makes a different seal, so comparing seals shows whether
   * the row has changed.
   */
  seal: sealed(() => headContext),
}
const heads = table('event_chain', headColumns)
export type ChainHead = Row<typeof headColumns>

const checkpointColumns = {
  id: text,
  position: int,
  hash: text,
  createdAt: time,
  /** The other columns of the row, sealed with the master secret. */
  seal: sealed(checkpointContext),
}
const checkpoints = table('event_checkpoint', checkpointColumns)
export type Checkpoint = Row<typeof checkpointColumns>

export const sealedColumns = [...heads.sealedColumns, ...checkpoints.sealedColumns, ...segmentColumns]

export const findHead = async (db: Db): Promise<ChainHead | undefined> => {
  const sql = `select ${heads.names.join(', ')} from event_chain where id = ?`
  const [row] = await readPrepared(db, { name: 'event_chain_head', sql }, ['events'])
  return row === undefined ? undefined : heads.decode(row)
}

/** Selects a value that changes whenever events are sealed. */
export const headPosition = 'select max(position) from event_chain'

/** Inserts the head of the chain. False if the chain already has a head. */
export const insertHead = async (tx: Tx, head: ChainHead): Promise<boolean> => {
  const rows: unknown[] = await tx.knex(heads.name).insert(heads.encode(head)).onConflict('id').ignore().returning('id')
  return rows.length === 1
}

/** Replaces the head of the chain. False if another node has changed it since its seal was `formerSeal`. */
export const replaceHead = (tx: Tx, formerSeal: Sealed, { id, ...head }: ChainHead): Promise<boolean> =>
  heads.updateOne(tx, { id, seal: formerSeal }, head)

export const insertCheckpoint = (tx: Tx, checkpoint: Checkpoint): Promise<void> => checkpoints.insert(tx, checkpoint)

export const findNewestCheckpoint = async (db: Db): Promise<Checkpoint | undefined> =>
  (await checkpoints.list(db, {}, { orderBy: 'position', descending: true, limit: 1 }))[0]

export const listOldestCheckpoints = (db: Db, limit: number): Promise<readonly Checkpoint[]> =>
  checkpoints.list(db, {}, { orderBy: 'position', limit })

/** The newest checkpoint that was made before the time `before`. */
export const findCheckpointBefore = async (db: Db, before: Date): Promise<Checkpoint | undefined> => {
  const rows: Record<string, unknown>[] = await db
    .knex(checkpoints.name)
    .where('created_at', '<', before)
    .orderBy('position', 'desc')
    .limit(1)
    .select(checkpoints.names)
  return rows.map((row) => checkpoints.decode(row))[0]
}

/** Checkpoints after the position `after` up to `until`, in the order of positions. */
export const listCheckpoints = async (db: Db, after: number, until: number): Promise<readonly Checkpoint[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex(checkpoints.name)
    .where('position', '>', after)
    .where('position', '<=', until)
    .orderBy('position')
    .select(checkpoints.names)
  return rows.map((row) => checkpoints.decode(row))
}

export const deleteCheckpointsBefore = (tx: Tx, position: number): Promise<number> =>
  tx.knex(checkpoints.name).where('position', '<', position).delete()
