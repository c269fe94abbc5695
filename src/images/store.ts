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
  /** When a node last used an image of the brand, with a precision of an hour. Null for images that are deleted together with their owner. */
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
 * Replaces the image of an owner, unless the new image has the same source. If two nodes store images at the same time, the later one is
 * kept; if both are equal, one is stored.
 */
export const putImage = async (tx: Tx, row: ImageRow): Promise<void> => {
  const values = images.encode(row)
  const insert = tx.knex(images.name).insert(values).onConflict(['kind', 'owner_id'])
  await insert.merge(values).whereNot('image.source_hash', row.sourceHash)
}

/** How many of the images with these ids are stored. */
export const countImages = async (db: Db, ids: readonly string[]): Promise<number> =>
  (
    await db
      .knex(images.name)
      .whereIn('id', [...ids])
      .pluck('id')
  ).length

export const deleteOfOwner = (tx: Tx, { kind, ownerId }: ImageOwner) => images.delete(tx, { kind, ownerId })

/** Records the use of images. If a use after `before` is already recorded, nothing is written. */
export const noteUse = async (tx: Tx, ids: readonly string[], at: Date, before: Date): Promise<void> => {
  await tx
    .knex(images.name)
    .whereIn('id', [...ids])
    .where('used_at', '<', before)
    .update({ used_at: at })
}

/** A condition for images of the brand that no node has used since `before`. */
export const unusedSince = (before: Date): Outdated => ({
  ...{ table: images.name, key: ['id'] },
  choose: (rows) => rows.where('used_at', '<', before),
})

/**
 * Deletes at most `limit` images that no node has used since `before`. The statement checks this itself, so an image that a node begins
 * to use at this moment is kept.
 */
export const deleteUnused = (tx: Tx, before: Date, limit: number): Promise<number> => {
  const chosen = unusedSince(before)
  return tx
    .knex(images.name)
    .whereIn('id', chosen.choose(tx.knex(images.name).select('id')).limit(limit))
    .where('used_at', '<', before)
    .delete()
}
