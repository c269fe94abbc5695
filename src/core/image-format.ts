export type BitmapFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif'

const startsWith = (bytes: Buffer, at: number, signature: string) =>
  bytes.subarray(at, at + signature.length).toString('latin1') === signature

/** True for AVIF. Other formats have the same container, and only the brands after `ftyp` distinguish them. */
const isAvif = (bytes: Buffer): boolean => {
  if (!startsWith(bytes, 4, 'ftyp')) return false
  const end = Math.min(bytes.length, bytes.readUInt32BE(0), 256)
  const brands = bytes.subarray(8, end).toString('latin1')
  return (brands.match(/.{4}/gs) ?? []).some((brand, index) => index !== 1 && /^avi[fs]$/.test(brand))
}

/**
 * Finds the format of an image from its first bytes. The file name and HTTP headers do not matter. Undefined for a format that is not
 * accepted.
 */
export const formatOf = (bytes: Buffer): BitmapFormat | undefined => {
  if (bytes.length < 16) return undefined
  if (startsWith(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'png'
  if (startsWith(bytes, 0, '\xff\xd8\xff')) return 'jpeg'
  if (startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a')) return 'gif'
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) return 'webp'
  return isAvif(bytes) ? 'avif' : undefined
}
