import { coreErrors } from '../core/errors.ts'
import { type BitmapFormat, formatOf } from '../core/image-format.ts'
import { imageErrors } from './contract.ts'
import { maxPixels, maxSourceBytes, type Recipe } from './rules.ts'

export interface Encoded {
  readonly mediaType: `image/${Recipe['format'] | 'svg+xml'}`
  readonly width: number
  readonly height: number
  readonly bytes: Buffer
}

/** Decodes images from unknown sources and encodes them again. */
export interface Bitmaps {
  /** Encodes an image as the recipe says. Throws INVALID_IMAGE, and SERVICE_UNAVAILABLE if too many requests are waiting. */
  encode(source: Buffer, recipe: Recipe): Promise<Encoded>
  /** Converts an SVG that `checkSvg` has accepted to a bitmap. Throws INVALID_IMAGE. */
  draw(svg: Buffer, recipe: Recipe): Promise<Encoded>
}

/** How many requests may wait at most. Decoding an image takes up to 100 MB, so only one image is decoded at a time. */
const mostWaiting = 8
const timeoutSeconds = 10

const names: Readonly<Record<BitmapFormat | 'svg', string>> = {
  ...{ png: 'PNG', jpeg: 'JPEG', webp: 'WebP', gif: 'GIF', avif: 'AVIF', svg: 'SVG' },
}
/** What the image library calls each format. */
const readAs: Readonly<Record<BitmapFormat | 'svg', string>> = {
  ...{ png: 'png', jpeg: 'jpeg', webp: 'webp', gif: 'gif', avif: 'heif', svg: 'svg' },
}

/** What the image library calls each shape. */
const fits = { square: 'cover', padded: 'contain', within: 'inside' } as const
const transparent = { r: 0, g: 0, b: 0, alpha: 0 }

const invalid = (message: string) => imageErrors.error('INVALID_IMAGE', { message: `Invalid image: ${message}` })

/**
 * Loads the image library. This happens only when the first image arrives, because the library takes 28 MB. Formats that are not needed
 * are switched off.
 */
const load = async () => {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  const loaders = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Svg']
  sharp.unblock({ operation: loaders.map((name) => `VipsForeignLoad${name}`) })
  return sharp
}

export const createBitmaps = (): Bitmaps => {
  let library: ReturnType<typeof load> | undefined
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= mostWaiting)
      throw coreErrors.error('SERVICE_UNAVAILABLE', { message: 'Too many images at once', retryAfterSeconds: 5 })
    waiting += 1
    const turn = last.then(work).finally(() => {
      waiting -= 1
    })
    last = turn.catch(() => undefined)
    return turn
  }

  const recode = async (source: Buffer, format: BitmapFormat | 'svg', { fit, width, height, format: output }: Recipe) => {
    library ??= load()
    const sharp = await library
    const isDrawn = format === 'svg'
    const options = { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true, autoOrient: true } as const
    try {
      const { format: found, width: wide = 1, height: high = 1 } = await sharp(source, options).metadata()
      if (found !== readAs[format]) throw invalid(`it starts as ${names[format]} and is something else`)
      // An SVG is drawn in its final size, because a bitmap of another size would have to be scaled.
      const density = isDrawn ? Math.min(2_400, Math.max(1, 72 * Math.min(width / wide, height / high))) : 72
      const { data, info } = await sharp(source, { ...options, density })
        .resize({ width, height, fit: fits[fit], background: transparent, withoutEnlargement: fit === 'within' })
        .toFormat(output, output === 'webp' ? { quality: 82 } : { compressionLevel: 9 })
        .timeout({ seconds: timeoutSeconds })
        .toBuffer({ resolveWithObject: true })
      return { mediaType: `image/${output}` as const, width: info.width, height: info.height, bytes: data }
    } catch (error) {
      if ((error as Error).name === 'AppError') throw error
      const { message } = error as Error
      // The library's message may quote the file, so the client gets another message.
      if (/pixel limit/i.test(message)) throw invalid(`more than ${maxPixels / 1_000_000} million pixels`)
      if (/timeout/i.test(message)) throw invalid(`it takes more than ${timeoutSeconds} seconds to read`)
      throw invalid(`the ${names[format]} cannot be read`)
    }
  }

  return {
    encode: async (source, recipe) => {
      if (source.length > maxSourceBytes) throw invalid(`longer than ${maxSourceBytes / 1_000_000} MB`)
      const format = formatOf(source)
      if (format === undefined) throw invalid('PNG, JPEG, WebP, GIF and AVIF are taken')
      return inTurn(() => recode(source, format, recipe))
    },
    draw: (svg, recipe) => inTurn(() => recode(svg, 'svg', recipe)),
  }
}
