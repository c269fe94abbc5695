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

/** An image that was decoded and encoded again, and can be stored with `put`. */
export interface PreparedImage extends Encoded {
  readonly owner: store.ImageOwner
  readonly sourceHash: string
}

export interface KeptImage {
  readonly id: string
  /** The full URL of the image. Every image has another one. */
  readonly url: string
  readonly width: number
  readonly height: number
}

/** Stores pictures and logos. Each owner has at most one image of each kind. */
export interface Images {
  /**
   * Decodes and encodes an image from an unknown source. This takes time and memory, so it is called before the transaction that stores
   * the image. If the owner's stored image was made from the same bytes, nothing is decoded. Throws INVALID_IMAGE and
   * SERVICE_UNAVAILABLE.
   */
  prepare(owner: store.ImageOwner, source: Buffer): Promise<PreparedImage>
  /** Checks an SVG that is stored as it is. Only operators may use this. Throws INVALID_IMAGE. */
  prepareSvg(owner: store.ImageOwner, source: Buffer): Promise<PreparedImage>
  /** Converts an operator's SVG to a bitmap, for programs that show no SVG. Throws INVALID_IMAGE. */
  prepareDrawn(owner: store.ImageOwner, source: Buffer): Promise<PreparedImage>
  /** Stores the image, and deletes the owner's former one. If the owner has a row, the caller has to lock it first. */
  put(tx: Tx, image: PreparedImage): Promise<KeptImage>
  /** The URL that an image of the brand has once it is stored. `sourceSha` is the SHA-256 hash of the source file. */
  brandUrl(kind: BrandImageKind, how: Treatment, sourceSha: string): string
  /** Like `noteUse`, for the brand's images that were made from a source file. Returns false if one of them is no longer stored. */
  noteBrandUse(tx: Tx, kind: BrandImageKind, hows: readonly Treatment[], sourceSha: string): Promise<boolean>
  /** Records that a node uses these images of its brand. They are then kept for another `keptDays` days. */
  noteUse(tx: Tx, ids: readonly string[]): Promise<void>
  /** The retention that deletes images of the brand which no node uses any more. */
  readonly retention: Retention
  find(db: Db, owner: store.ImageOwner): Promise<KeptImage | undefined>
  /** The image with this id, to be sent to a browser. Throws NOT_FOUND. */
  read(id: string): Promise<{ readonly mediaType: string; readonly bytes: Buffer }>
  /** Deletes the image of an owner. Returns false if there is none. */
  remove(tx: Tx, owner: store.ImageOwner): Promise<boolean>
}

/** How many days images of a former brand are kept. Mails that were sent show them, and for a while nodes may have different brands. */
const keptDays = 90

/** How a stored image is made from its source file. */
export type Treatment = 'bitmap' | 'svg' | 'drawn'

export type BrandImageKind = 'brand-logo' | 'brand-icon'

const hashOf = ({ kind }: Pick<store.ImageOwner, 'kind'>, how: Treatment, sourceSha: string) =>
  sha256(`${recipeVersion} ${kind} ${how} ${sourceSha}`)

const isOfBrand = ({ kind }: store.ImageOwner) => kind.startsWith('brand-')

/** The id of an operator's image. It is derived from the source file, so that all nodes use the same URL for it. */
const fixedId = (owner: store.ImageOwner, sourceHash: string) => (isOfBrand(owner) ? sourceHash.slice(0, 32) : undefined)

/** Reads the size of an SVG. Throws INVALID_IMAGE with what `checkSvg` says is wrong. */
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
      // If another node has just stored an equal image, the URL of that image is returned.
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
