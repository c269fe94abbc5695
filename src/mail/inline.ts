import { AppError } from '../core/errors.ts'
import type { Images } from '../images/index.ts'
import type { MailFrame } from './frame.ts'

/** An image that is part of a mail. Mail programs show it without loading anything, so no server learns that the mail is read. */
export interface InlineImage {
  readonly cid: string
  readonly mediaType: string
  readonly bytes: Buffer
}

/** The frame of a mail that is sent, and the images that belong to it. */
export interface PackedFrame {
  readonly frame: MailFrame
  readonly images: readonly InlineImage[]
}

/** How many logos are kept in memory. A brand has two. */
const mostKept = 4

/** Makes a function that adds the logos of a frame to the mail. If a logo is no longer stored, the brand's name is shown in its place. */
export const createPacker = (images: Pick<Images, 'read'>): ((frame: MailFrame) => Promise<PackedFrame>) => {
  const kept = new Map<string, Pick<InlineImage, 'mediaType' | 'bytes'>>()
  const read = async (url: string) => {
    const known = kept.get(url)
    if (known !== undefined) return known
    const image = await images.read(url.slice(url.lastIndexOf('/') + 1)).catch((error: unknown) => {
      if (error instanceof AppError && error.status === 404) return undefined
      throw error
    })
    if (image === undefined) return undefined
    if (kept.size >= mostKept) kept.clear()
    kept.set(url, image)
    return image
  }
  const pack = async (cid: string, url: string | null): Promise<InlineImage | undefined> => {
    const image = url === null ? undefined : await read(url)
    return image === undefined ? undefined : { cid, mediaType: image.mediaType, bytes: image.bytes }
  }
  return async (frame) => {
    if (frame.logo === null) return { frame, images: [] }
    const [logo, dark] = [await pack('logo', frame.logo.url), await pack('logo-dark', frame.logo.darkUrl)]
    if (logo === undefined) return { frame: { ...frame, logo: null }, images: [] }
    const named = { url: `cid:${logo.cid}`, darkUrl: dark === undefined ? null : `cid:${dark.cid}` }
    return { frame: { ...frame, logo: named }, images: dark === undefined ? [logo] : [logo, dark] }
  }
}
