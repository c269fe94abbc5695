import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { sha256 } from '../core/crypto.ts'
import { formatOf } from '../core/image-format.ts'
import { checkSvg, startsAsSvg } from '../core/svg.ts'
import { systemFailureOf } from '../core/system-failure.ts'

const longestImage = 5_000_000
const longestFont = 2_000_000

const image = (what: string) =>
  z
    .string()
    .min(1)
    .optional()
    .describe(
      `Path of ${what}: PNG, JPEG, WebP, GIF, AVIF, or an SVG that only draws; or the reference of an image that was uploaded in the console. Served by gatehouse.`,
    )

const httpsUrl = z.url({ protocol: /^https$/, error: 'an https address' })

export const brandConfig = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(64)
      .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'no control characters')
      .optional()
      .describe(
        'Your name: in titles, beside or instead of the logo, in mails, in passkeys and authenticator apps. Default: gatehouse.',
      ),
    logo: image('your logo, which takes the place of mark and name on pages and mails'),
    logoDark: image('the logo for dark grounds; default: logo'),
    icon: image('a square icon, for tabs of browsers'),
    color: z
      .string()
      .regex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i, 'a colour such as #0d5c4c')
      .transform((value) => (value.length === 4 ? value.replace(/[^#]/g, '$&$&') : value).toLowerCase())
      .optional()
      .describe(
        'Your colour, such as #0d5c4c. All colours of the pages are derived from it, in light and dark, and corrected where text could not be read.',
      ),
    radius: z.enum(['sharp', 'soft', 'round']).default('soft').describe('Corners of cards, buttons and fields.'),
    background: z.enum(['arches', 'plain']).default('arches').describe('The background behind the cards.'),
    font: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Path of a font as one variable WOFF2 file, at most 2 MB. Served by gatehouse. It has to have the letters of your languages.',
      ),
    links: z
      .strictObject({
        privacy: httpsUrl.optional().describe('Address of your privacy notice, in the foot of pages and mails.'),
        terms: httpsUrl.optional().describe('Address of your terms.'),
        support: z
          .union([httpsUrl, z.url({ protocol: /^mailto$/ })], 'an https or mailto address')
          .optional()
          .describe('Where people get help: an https address, or mailto:help@example.com.'),
      })
      .prefault({}),
    poweredBy: z.boolean().default(false).describe('Say "Powered by gatehouse" in the foot of pages.'),
  })
  .prefault({})
  .meta({ weakened: 'never' })
export type BrandConfig = z.output<typeof brandConfig>

export type ImageFile = { readonly bytes: Buffer; readonly isSvg: boolean }

/** Where an image of the brand comes from: a file, or an uploaded image that is identified by the hash of its bytes. */
export interface BrandSource {
  readonly isSvg: boolean
  /** SHA-256 hash of the bytes. */
  readonly sha: string
  readonly bytes?: Buffer
}

const uploadPattern = /^upload:(svg|bitmap):([0-9a-f]{64})$/

const readFile = (path: string, longest: number): Buffer => {
  const found = statSync(path)
  // Only regular files are read. Reading a device file may never end, and reading a pipe may block, and either would stop the node.
  if (!found.isFile()) throw new Error(`${path} is no file`)
  const { size } = found
  if (size > longest) throw new Error(`${path} has ${size} bytes; at most ${longest} are taken`)
  return readFileSync(path)
}

/** Reads an image file. Throws an error that explains what is wrong with the file. */
export const readImageFile = (path: string): ImageFile => imageIn(readFile(path, longestImage), path)

/**
 * Reads a WOFF 2.0 font file. The header of the font contains its length, and nothing may follow the font (section 4). Throws an error
 * that explains what is wrong with the file.
 */
export const readFontFile = (path: string): Buffer => {
  const bytes = readFile(path, longestFont)
  if (bytes.length < 48 || bytes.subarray(0, 4).toString('latin1') !== 'wOF2') throw new Error(`${path} is no WOFF2 font`)
  if (bytes.readUInt32BE(8) !== bytes.length)
    throw new Error(`${path} is a WOFF2 font that is cut off or has something behind it`)
  return bytes
}

export interface BrandFiles {
  readonly logo: BrandSource | undefined
  readonly logoDark: BrandSource | undefined
  readonly icon: BrandSource | undefined
  readonly font: Buffer | undefined
}

/** Recognizes the image in some bytes. Throws an error that explains what is wrong with them. */
export const imageIn = (bytes: Buffer, name: string): ImageFile => {
  const isSvg = startsAsSvg(bytes)
  if (isSvg) checkSvg(bytes)
  else if (formatOf(bytes) === undefined) throw new Error(`${name} is no PNG, JPEG, WebP, GIF, AVIF or SVG`)
  return { bytes, isSvg }
}

/** The image that the value of a brand setting names. Throws the errors of `readImageFile`. */
const sourceOf = (value: string): BrandSource => {
  const [, kind, sha] = uploadPattern.exec(value) ?? []
  if (sha !== undefined) return { isSvg: kind === 'svg', sha }
  const { bytes, isSvg } = readImageFile(value)
  return { isSvg, sha: sha256(bytes), bytes }
}

/** Reads all image and font files that the brand's configuration names. */
export const readBrandFiles = ({ logo, logoDark, icon, font }: BrandConfig): BrandFiles => {
  const image = (value: string | undefined) => (value === undefined ? undefined : sourceOf(value))
  return {
    logo: image(logo),
    logoDark: image(logoDark),
    icon: image(icon),
    font: font === undefined ? undefined : readFontFile(font),
  }
}

/** Checks the files that the brand's configuration names before the daemon starts. */
export const checkBrandFiles = (
  { brand }: { readonly brand: BrandConfig },
  fail: (path: readonly string[], message: string) => void,
): void => {
  const look = (key: 'logo' | 'logoDark' | 'icon' | 'font', read: (path: string) => unknown) => {
    const path = brand[key]
    if (path === undefined) return
    try {
      read(path)
    } catch (error) {
      const failure = systemFailureOf(error)
      fail(['brand', key], failure === undefined ? (error as Error).message : `${path} ${failure.problem}`)
    }
  }
  for (const key of ['logo', 'logoDark', 'icon'] as const) look(key, sourceOf)
  look('font', readFontFile)
  if (brand.logoDark !== undefined && brand.logo === undefined) fail(['brand', 'logoDark'], 'needs brand.logo as well')
}
