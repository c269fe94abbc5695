/**
 * The compact form of a list of breached passwords: a Bloom filter over their SHA-1 hashes, in blocks of which a look-up reads one
 * (docs/design/sign-in.md#passwords). A hash is as good as random, so its own bits choose the block and the bits.
 */
export interface BloomShape {
  /** Bits that each entry sets in its block. */
  readonly hashes: number
  /** A multiple of `partitions`. */
  readonly blocks: number
}

/** A page of most disks' sectors: 4096 bits. */
export const blockBytes = 512
const blockBits = blockBytes * 8
/** Parts that are filled one after the other, so that an import never holds the whole filter. */
export const partitions = 64
/** Of a SHA-1 hash: five bytes choose the block, each bit takes one and a half of the others. */
const mostHashes = 10
/** Blocks are not equally full: this much more room keeps the rate. */
const margin = 1.05

/** The smallest filter with at most this rate of passwords that are taken for breached ones. */
export const shapeOf = (entries: number, falsePositiveRate: number): BloomShape => {
  const hashes = Math.min(mostHashes, Math.max(1, Math.round(-Math.log2(falsePositiveRate))))
  const bits = (-entries * hashes * margin) / Math.log(1 - falsePositiveRate ** (1 / hashes))
  return { hashes, blocks: partitions * Math.max(1, Math.ceil(bits / blockBits / partitions)) }
}

/** The partition of the hash that begins at `at`. */
export const partitionOf = (bytes: Buffer, at = 0): number => bytes.readUInt8(at) >> 2

/** The block within its partition. Below 2^53 for every shape that fits a disk. */
export const blockInPartition = (bytes: Buffer, { blocks }: BloomShape, at = 0): number =>
  Math.floor((bytes.readUInt32BE(at + 1) * (blocks / partitions)) / 2 ** 32)

/** The block of the whole filter. */
export const blockOf = (digest: Buffer, shape: BloomShape): number =>
  partitionOf(digest) * (shape.blocks / partitions) + blockInPartition(digest, shape)

/** The `index`th bit of an entry within its block. */
const bitOf = (bytes: Buffer, at: number, index: number): number => {
  const pair = bytes.readUInt16BE(at + 5 + ((index * 3) >> 1))
  return index % 2 === 0 ? pair >> 4 : pair & 0xfff
}

/** Sets the bits of the hash that begins at `at` in the block that begins at `block` of `filter`. */
export const addTo = (filter: Buffer, block: number, bytes: Buffer, at: number, { hashes }: BloomShape): void => {
  for (let index = 0; index < hashes; index++) {
    const bit = bitOf(bytes, at, index)
    const place = block + (bit >> 3)
    filter.writeUInt8(filter.readUInt8(place) | (1 << (bit & 7)), place)
  }
}

/** False when the hash was certainly not added. */
export const isIn = (block: Buffer, digest: Buffer, { hashes }: BloomShape): boolean => {
  for (let index = 0; index < hashes; index++) {
    const bit = bitOf(digest, 0, index)
    if ((block.readUInt8(bit >> 3) & (1 << (bit & 7))) === 0) return false
  }
  return true
}
