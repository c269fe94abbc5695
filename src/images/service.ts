import type { Core } from '../core/core.ts'
import { sha256 } from '../core/crypto.ts'
import type { Db, Tx } from '../core/db/database.ts'
import { countRows, sweep } from '../core/db/sweep.ts'
import { coreErrors } from '../core/errors.ts'
import type { Retention } from '../core/retention.ts'
import { checkSvg, SvgError } from '../core/svg.ts'
import { daySeconds, hourSeconds } from '../core/time.ts'
import { type Bitmaps, createBitmaps, type Encoded } from './bitmap.ts'
import { imageErrors } from './contract.ts'
import { recipes, recipeVersion } from './rules.ts'
import * as store from './store.ts'

export type { ImageOwner } from './store.ts'

/** An image that was decoded and encoded again, for `put`. */
export interface PreparedImage extends Encoded {
  readonly owner: store.ImageOwner
  readonly sourceHash: string
}

export interface KeptImage {
  readonly id: string
  /** Absolute address. It is different for each content. */
  readonly url: string
  readonly width: number
  readonly height: number
}

/** Pictures and logos. Each owner has one image of a kind. */
export interface Images {
  /**
   * Decodes an image from outside. This takes time and memory, so it happens before the transaction that stores the image. If the owner
   * already has an image from the same bytes, it is not decoded again. Throws INVALID_IMAGE and SERVICE_UNAVAILABLE.
   */
  prepare(owner: store.ImageOwner, source: Buffer): Promise<PreparedImage>
  /** Prepares an SVG that stays an SVG. Only operators may use one. Throws INVALID_IMAGE. */
  prepareSvg(owner: store.ImageOwner, source: Buffer): Promise<PreparedImage>
  /** Prepares an operator's SVG as a bitmap, for programs that show no SVG. Throws INVALID_IMAGE. */
  prepareDrawn(owner: store.ImageOwner, source: Buffer): Promise<PreparedImage>
  /** Stores the image and deletes the owner's former one. The caller has locked the owner's row, if the owner has one. */
  put(tx: Tx, image: PreparedImage): Promise<KeptImage>
  /** The address that a brand image has or would have, made from the source with this SHA-256. */
  brandUrl(kind: BrandImageKind, how: Treatment, sourceSha: string): string
  /** Records, as `noteUse` does, that images of the brand from this source are in use. False if one of them is no longer stored. */
  noteBrandUse(tx: Tx, kind: BrandImageKind, hows: readonly Treatment[], sourceSha: string): Promise<boolean>
  /** Records that a node uses these images of its brand. They stay for another `keptDays`. */
  noteUse(tx: Tx, ids: readonly string[]): Promise<void>
  /** Retention of brand images that no node uses any more. */
  readonly retention: Retention
  find(db: Db, owner: store.ImageOwner): Promise<KeptImage | undefined>
  /** The image to serve. Throws NOT_FOUND. */
  read(id: string): Promise<{ readonly mediaType: string; readonly bytes: Buffer }>
  /** Deletes the image of an owner. False if there is none. */
  remove(tx: Tx, owner: store.ImageOwner): Promise<boolean>
}

/** Number of days that images of an earlier brand stay. Sent mails show them, and for a while nodes may have different brands. */
const keptDays = 90

/** How an image is made from its source. */
export type Treatment = 'bitmap' | 'svg' | 'drawn'

export type BrandImageKind = 'brand-logo' | 'brand-icon'

const hashOf = ({ kind }: Pick<store.ImageOwner, 'kind'>, how: Treatment, sourceSha: string) =>
  sha256(`${recipeVersion} ${kind} ${how} ${sourceSha}`)

const isOfBrand = ({ kind }: store.ImageOwner) => kind.startsWith('brand-')

/** The id of an operator's image follows from the file, so that every node uses the same address for it. */
const fixedId = (owner: store.ImageOwner, sourceHash: string) => (isOfBrand(owner) ? sourceHash.slice(0, 32) : undefined)

/** The size of an SVG. Throws INVALID_IMAGE with the problem that `checkSvg` finds. */
const sizeOf = (svg: Buffer) => {
  try {
    return checkSvg(svg)
  } catch (error) {
    if (!(error instanceof SvgError)) throw error
    throw imageErrors.error('INVALID_IMAGE', { message: `Invalid image: ${error.message}` })
  }
}

export const createImages = (
  { db, transact, clock, random, url }: Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'url'>,
  bitmaps: Bitmaps = createBitmaps(),
): Images => {
  const unusedSince = () => clock.after(-keptDays * daySeconds)
  const keptAs = ({ id, width, height }: Pick<store.ImageRow, 'id' | 'width' | 'height'>): KeptImage => ({
    ...{ id, url: `${url}/images/${id}`, width, height },
  })

  const brandId = (kind: BrandImageKind, how: Treatment, sourceSha: string) => hashOf({ kind }, how, sourceSha).slice(0, 32)
  const noteUse = (tx: Tx, ids: readonly string[]) => store.noteUse(tx, ids, clock.now(), clock.after(-hourSeconds))

  const partsOf = ({ mediaType, width, height, bytes }: store.ImageRow): Encoded => ({ mediaType, width, height, bytes })
  const prepare = async (owner: store.ImageOwner, source: Buffer, how: Treatment, encode: () => Promise<Encoded> | Encoded) => {
    const sourceHash = hashOf(owner, how, sha256(source))
    const kept = await store.findOfOwner(db, owner)
    return { owner, sourceHash, ...(kept?.sourceHash === sourceHash ? partsOf(kept) : await encode()) }
  }

  return {
    prepare: (owner, source) => prepare(owner, source, 'bitmap', () => bitmaps.encode(source, recipes[owner.kind])),
    prepareSvg: (owner, source) =>
      prepare(owner, source, 'svg', () => ({ mediaType: 'image/svg+xml', bytes: source, ...sizeOf(source) })),
    prepareDrawn: (owner, source) =>
      prepare(owner, source, 'drawn', () => {
        sizeOf(source)
        return bitmaps.draw(source, recipes[owner.kind])
      }),

    put: async (tx, { owner, ...image }) => {
      await store.putImage(tx, {
        id: fixedId(owner, image.sourceHash) ?? random.id(),
        ...owner,
        ...image,
        createdAt: clock.now(),
        usedAt: isOfBrand(owner) ? clock.now() : null,
      })
      // The same image keeps its address, even if another node has just stored it.
      const kept = await store.findOfOwner(tx, owner)
      if (kept === undefined) throw new Error('an image that was put is not there')
      return keptAs(kept)
    },

    brandUrl: (kind, how, sourceSha) => `${url}/images/${brandId(kind, how, sourceSha)}`,
    noteBrandUse: async (tx, kind, hows, sourceSha) => {
      const ids = hows.map((how) => brandId(kind, how, sourceSha))
      await noteUse(tx, ids)
      return (await store.countImages(tx, ids)) === ids.length
    },

    find: async (reader, owner) => {
      const kept = await store.findOfOwner(reader, owner)
      return kept === undefined ? undefined : keptAs(kept)
    },

    read: async (id) => {
      const image = await store.findImage(db, id)
      if (image === undefined) throw coreErrors.error('NOT_FOUND')
      return image
    },

    noteUse,

    retention: {
      name: 'images',
      which: `of brands that no node has shown for ${keptDays} days`,
      count: () => countRows(db, store.unusedSince(unusedSince())),
      sweep: (stop) => sweep(transact, (tx, limit) => store.deleteUnused(tx, unusedSince(), limit), stop),
    },

    remove: async (tx, owner) => (await store.deleteOfOwner(tx, owner)) > 0,
  }
}
