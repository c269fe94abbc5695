import type { Core } from '../core/core.ts'
import { sha256 } from '../core/crypto.ts'
import { startsAsSvg } from '../core/svg.ts'
import type { BrandImageKind, ImageOwner, Images, PreparedImage } from '../images/index.ts'
import type { BrandConfig, BrandFiles, BrandSource } from './config.ts'
import { type Palette, paletteOf } from './rules/palette.ts'
import { styleSheetOf } from './rules/style-sheet.ts'

/** A picture of the brand. */
export interface BrandImage {
  readonly url: string
  /** The address of the picture as PNG, for mails, because mail programs show no SVG. */
  readonly bitmapUrl: string
}

/** The operator's brand as it is now: what pages and mails show. */
export interface Brand {
  /** Another one whenever anything differs. */
  readonly version: string
  readonly name: string
  /** False: nobody gave a name, and it is gatehouse's. */
  readonly isNamed: boolean
  readonly logo: BrandImage | null
  readonly logoDark: BrandImage | null
  readonly icon: BrandImage | null
  /** `#rrggbb`; null: the colours that gatehouse comes with. */
  readonly color: string | null
  readonly palette: Palette | null
  readonly radius: BrandConfig['radius']
  readonly background: 'arches' | 'plain'
  readonly links: {
    readonly privacy?: string | undefined
    readonly terms?: string | undefined
    readonly support?: string | undefined
  }
  readonly poweredBy: boolean
}

export interface BrandService {
  /** Reads nothing: may be called anywhere, also in a transaction. Ask again whenever it is shown: it may change while the program runs. */
  current(): Brand
  /** The brand with another name or colour in the place of its own, to look at: nothing is kept. */
  tried(other: { readonly name?: string | undefined; readonly color?: string | undefined }): Brand
  /** The style sheet of the pages; with the colour of an application (`#rrggbb`) in the place of the brand's. */
  styles(color?: string): string
  font(): Buffer | undefined
  /**
   * Keeps an image that `brand.logo`, `brand.logoDark` or `brand.icon` may name by its reference. Nothing shows it until then. Throws
   * INVALID_IMAGE.
   */
  upload(kind: 'logo' | 'icon', source: Buffer): Promise<{ readonly reference: string; readonly url: string }>
  /**
   * Reads the images and keeps them, unless they are kept already, and notes that this node shows them. Throws what is wrong with one, by
   * its key.
   */
  prepare(): Promise<void>
}

interface Deps extends Pick<Core, 'transact' | 'log'> {
  readonly images: Images
  readonly config: BrandConfig
  readonly files: BrandFiles
}

/** What a key of the brand holds in the place of a path (`src/brand/config.ts` reads it). */
const uploadReference = ({ isSvg, sha }: BrandSource): string => `upload:${isSvg ? 'svg' : 'bitmap'}:${sha}`

/** Most style sheets of applications that are kept. Colours are in addresses, so anybody may ask for any. */
const mostSheets = 100

const keys = ['logo', 'logoDark', 'icon'] as const
type Key = (typeof keys)[number]

export const createBrand = ({ transact, log, images, config, files: { font, ...given } }: Deps): BrandService => {
  const files = keys.flatMap((key) => {
    const file = given[key]
    return file === undefined ? [] : [[key, file] as const]
  })
  const kindOf = (key: 'icon' | 'logo' | 'logoDark'): BrandImageKind => (key === 'icon' ? 'brand-icon' : 'brand-logo')
  /** Images that were uploaded, and are not kept any more. */
  const lost = new Set<Key>()

  const addressesOf = (kind: BrandImageKind, { isSvg, sha }: BrandSource): BrandImage => {
    const address = (how: 'svg' | 'drawn' | 'bitmap') => images.brandUrl(kind, how, sha)
    return isSvg ? { url: address('svg'), bitmapUrl: address('drawn') } : { url: address('bitmap'), bitmapUrl: address('bitmap') }
  }
  const imageOf = (key: Key): BrandImage | null => {
    const file = given[key]
    return file === undefined || lost.has(key) ? null : addressesOf(kindOf(key), file)
  }

  const fontUrl = font === undefined ? undefined : `/brand/font.woff2?v=${sha256(font).slice(0, 16)}`
  const styles = styleSheetOf({ ...config, fontUrl })
  const sheets = new Map<string, string>()
  const stylesOf = (color: string): string => {
    const known = sheets.get(color)
    if (known !== undefined) return known
    if (sheets.size >= mostSheets) sheets.clear()
    const sheet = styleSheetOf({ ...config, color, fontUrl })
    sheets.set(color, sheet)
    return sheet
  }
  const contentNow = () => ({
    name: config.name ?? 'gatehouse',
    isNamed: config.name !== undefined,
    logo: imageOf('logo'),
    logoDark: imageOf('logoDark'),
    icon: imageOf('icon'),
    color: config.color ?? null,
    palette: config.color === undefined ? null : paletteOf(config.color),
    radius: config.radius,
    background: config.background,
    links: config.links,
    poweredBy: config.poweredBy,
  })
  const brandNow = (): Brand => {
    const content = contentNow()
    return { version: sha256(JSON.stringify([content, styles])).slice(0, 16), ...content }
  }
  let brand = brandNow()

  const preparedOf = async (kind: BrandImageKind, bytes: Buffer, isSvg: boolean): Promise<readonly PreparedImage[]> => {
    const owner = (how: string): ImageOwner => ({ kind, ownerId: `${how} ${sha256(bytes)}` })
    return isSvg
      ? [await images.prepareSvg(owner('svg'), bytes), await images.prepareDrawn(owner('drawn'), bytes)]
      : [await images.prepare(owner('bitmap'), bytes)]
  }

  const keep = (prepared: readonly PreparedImage[]) =>
    transact(async (tx) => {
      const kept: string[] = []
      for (const image of prepared) kept.push((await images.put(tx, image)).id)
      await images.noteUse(tx, kept)
    })

  return {
    current: () => brand,
    tried: ({ name, color }) => ({
      ...brand,
      ...(name === undefined ? {} : { name, isNamed: true }),
      ...(color === undefined ? {} : { color, palette: paletteOf(color) }),
    }),
    styles: (color) => (color === undefined ? styles : stylesOf(color)),
    font: () => font,
    upload: async (key, source) => {
      const kind = kindOf(key)
      const image = { isSvg: startsAsSvg(source), sha: sha256(source) }
      await keep(await preparedOf(kind, source, image.isSvg))
      return { reference: uploadReference(image), url: addressesOf(kind, image).url }
    },
    prepare: async () => {
      for (const [key, { bytes, isSvg, sha }] of files) {
        if (bytes === undefined) {
          const isKept = await transact((tx) => images.noteBrandUse(tx, kindOf(key), isSvg ? ['svg', 'drawn'] : ['bitmap'], sha))
          if (isKept) continue
          log.warn({ key: `brand.${key}` }, 'an uploaded image of the brand is not kept any more: upload it again')
          lost.add(key)
          continue
        }
        const prepared = await preparedOf(kindOf(key), bytes, isSvg).catch((error: unknown) => {
          throw new Error(`brand.${key}: ${(error as Error).message}`, { cause: error })
        })
        await keep(prepared)
      }
      if (lost.size > 0) brand = brandNow()
    },
  }
}
