export type BitmapFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif'

const startsWith = (bytes: Buffer, at: number, signature: string) =>
  bytes.subarray(at, at + signature.length).toString('latin1') === signature

/** AVIF has the same container as other formats. The brands after `ftyp` tell them apart. */
const isAvif = (bytes: Buffer): boolean => {
  if (!startsWith(bytes, 4, 'ftyp')) return false
  const end = Math.min(bytes.length, bytes.readUInt32BE(0), 256)
  const brands = bytes.subarray(8, end).toString('latin1')
  return (brands.match(/.{4}/gs) ?? []).some((brand, index) => index !== 1 && /^avi[fs]$/.test(brand))
}

/** The format of a file, found by its first bytes; its name and HTTP headers do not matter. Undefined for a format that is not accepted. */
export const formatOf = (bytes: Buffer): BitmapFormat | undefined => {
  if (bytes.length < 16) return undefined
  if (startsWith(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'png'
  if (startsWith(bytes, 0, '\xff\xd8\xff')) return 'jpeg'
  if (startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a')) return 'gif'
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) return 'webp'
  return isAvif(bytes) ? 'avif' : undefined
}
