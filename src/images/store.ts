import type { Db, Tx } from '../core/db/database.ts'
import type { Outdated } from '../core/db/sweep.ts'
import { bytes, int, nullable, oneOf, type Row, table, text, time } from '../core/db/table.ts'
import { type ImageKind, recipes } from './rules.ts'

const columns = {
  id: text,
  kind: oneOf(...(Object.keys(recipes) as ImageKind[])),
  ownerId: text,
  sourceHash: text,
  mediaType: oneOf('image/webp', 'image/png', 'image/svg+xml'),
  width: int,
  height: int,
  bytes,
  createdAt: time,
  /** When a node last used a brand image, to the hour. Null for an image that is deleted with its owner. */
  usedAt: nullable(time),
}
const images = table('image', columns)
export type ImageRow = Row<typeof columns>

export interface ImageOwner {
  readonly kind: ImageKind
  readonly ownerId: string
}

export const findImage = (db: Db, id: string) => images.find(db, { id })
export const findOfOwner = (db: Db, { kind, ownerId }: ImageOwner) => images.find(db, { kind, ownerId })

/**
 * Replaces the owner's image, unless the new one has the same source. If two are stored at the same time, the later one stays; equal ones
 * are stored once.
 */
export const putImage = async (tx: Tx, row: ImageRow): Promise<void> => {
  const values = images.encode(row)
  const insert = tx.knex(images.name).insert(values).onConflict(['kind', 'owner_id'])
  await insert.merge(values).whereNot('image.source_hash', row.sourceHash)
}

/** The number of these images that are stored. */
export const countImages = async (db: Db, ids: readonly string[]): Promise<number> =>
  (
    await db
      .knex(images.name)
      .whereIn('id', [...ids])
      .pluck('id')
  ).length

export const deleteOfOwner = (tx: Tx, { kind, ownerId }: ImageOwner) => images.delete(tx, { kind, ownerId })

/** Records the use of images, unless a use after `before` is recorded already. */
export const noteUse = async (tx: Tx, ids: readonly string[], at: Date, before: Date): Promise<void> => {
  await tx
    .knex(images.name)
    .whereIn('id', [...ids])
    .where('used_at', '<', before)
    .update({ used_at: at })
}

/** Brand images that no node has used since then. */
export const unusedSince = (before: Date): Outdated => ({
  ...{ table: images.name, key: ['id'] },
  choose: (rows) => rows.where('used_at', '<', before),
})

/** Deletes at most `limit` of these images. The statement repeats the condition, so that an image which is used at this moment stays. */
export const deleteUnused = (tx: Tx, before: Date, limit: number): Promise<number> => {
  const chosen = unusedSince(before)
  return tx
    .knex(images.name)
    .whereIn('id', chosen.choose(tx.knex(images.name).select('id')).limit(limit))
    .where('used_at', '<', before)
    .delete()
}
