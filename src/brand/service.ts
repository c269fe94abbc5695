import type { Core } from '../core/core.ts'
import { sha256 } from '../core/crypto.ts'
import { startsAsSvg } from '../core/svg.ts'
import type { BrandImageKind, ImageOwner, Images, PreparedImage } from '../images/index.ts'
import type { BrandConfig, BrandFiles, BrandSource } from './config.ts'
import { type Palette, paletteOf } from './rules/palette.ts'
import { styleSheetOf } from './rules/style-sheet.ts'

/** A logo or icon of the brand. */
export interface BrandImage {
  readonly url: string
  /** The URL of the image as PNG. Mails need it, because mail programs show no SVG. */
  readonly bitmapUrl: string
}

/** The operator's brand for pages and mails. */
export interface Brand {
  /** A hash of the brand. It changes whenever the brand changes. */
  readonly version: string
  readonly name: string
  /** False if the brand still has the default name, gatehouse. */
  readonly isNamed: boolean
  readonly logo: BrandImage | null
  readonly logoDark: BrandImage | null
  readonly icon: BrandImage | null
  /** The brand's colour as `#rrggbb`. Null means the default colours. */
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
  /**
   * Returns the current brand. It is in memory, so this can also be called in a transaction. The brand can change at any time, so callers
   * must not store it.
   */
  current(): Brand
  /** Returns the brand with another name or colour, for a preview. Nothing is stored. */
  tried(other: { readonly name?: string | undefined; readonly color?: string | undefined }): Brand
  /** Returns the style sheet of the pages. `color` (`#rrggbb`) is the colour of an application, and replaces the brand's colour. */
  styles(color?: string): string
  font(): Buffer | undefined
  /**
   * Stores an image. Returns the reference to it, which can be the value of `brand.logo`, `brand.logoDark` or `brand.icon`. Throws
   * INVALID_IMAGE.
   */
  upload(kind: 'logo' | 'icon', source: Buffer): Promise<{ readonly reference: string; readonly url: string }>
  /**
   * Reads the brand's images, stores those that are not stored yet, and records that this node shows them. If an image cannot be used,
   * throws an error with its configuration key.
   */
  prepare(): Promise<void>
}

interface Deps extends Pick<Core, 'transact' | 'log'> {
  readonly images: Images
  readonly config: BrandConfig
  readonly files: BrandFiles
}

/** The reference to an uploaded image. As the value of a setting it takes the place of a path (`src/brand/config.ts` parses it). */
const uploadReference = ({ isSvg, sha }: BrandSource): string => `upload:${isSvg ? 'svg' : 'bitmap'}:${sha}`

/** How many style sheets for colours of applications are cached at most. The limit is needed because anybody can request any colour. */
const mostSheets = 100

const keys = ['logo', 'logoDark', 'icon'] as const
type Key = (typeof keys)[number]

export const createBrand = ({ transact, log, images, config, files: { font, ...given } }: Deps): BrandService => {
  const files = keys.flatMap((key) => {
    const file = given[key]
    return file === undefined ? [] : [[key, file] as const]
  })
  const kindOf = (key: 'icon' | 'logo' | 'logoDark'): BrandImageKind => (key === 'icon' ? 'brand-icon' : 'brand-logo')
  /** The keys of uploaded images that are configured, but no longer stored. */
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
