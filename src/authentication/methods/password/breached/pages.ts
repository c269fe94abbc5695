import { crc32 } from 'node:zlib'

/**
 * The number of bytes that are stored of each SHA-1 hash. If the list has a billion entries, about one of 18 billion passwords that are
 * not in the list is wrongly found.
 */
export const entryBytes = 8
export const pageBytes = 4096
/** The number of entries in a page. The entries are in ascending order. A checksum follows them. */
export const entriesInPage = 511
const entriesEnd = entriesInPage * entryBytes

const checksumOf = (page: Buffer) => BigInt(crc32(page.subarray(0, entriesEnd)))

/** Divides ascending numbers into pages. If the last page is not full, its last number is repeated. */
export function* pagesOf(numbers: Iterable<bigint>): Generator<Buffer> {
  let [page, used] = [Buffer.alloc(pageBytes), 0]
  const sealed = () => {
    page.fill(page.subarray(used - entryBytes, used), used, entriesEnd).writeBigUInt64BE(checksumOf(page), entriesEnd)
    return page
  }
  for (const number of numbers) {
    if (used === entriesEnd) {
      yield sealed()
      ;[page, used] = [Buffer.alloc(pageBytes), 0]
    }
    used = page.writeBigUInt64BE(number, used)
  }
  if (used > 0) yield sealed()
}

/** True if the page has its full length and its checksum is right. */
export const isWhole = (page: Buffer): boolean =>
  page.length === pageBytes && page.readBigUInt64BE(entriesEnd) === checksumOf(page)

/** The position of a hash among all possible hashes, as a number from 0 to 1. */
const shareOf = (hash: Buffer): number => hash.readUIntBE(0, 6) / 2 ** 48

/**
 * The number of reads for which the page is guessed from the value of the hash. In an even distribution of hashes, two or three guesses
 * are enough. Each later read halves the range of pages, whatever the distribution.
 */
const mostGuesses = 4

/** True if the ascending pages contain the digest. `readPage` is called about three times, whatever the number of pages. */
export const isInPages = async (
  digest: Buffer,
  pages: number,
  readPage: (index: number) => Promise<Buffer>,
): Promise<boolean> => {
  const wanted = digest.subarray(0, entryBytes)
  let [low, high, from, to] = [0, pages - 1, 0, 1]
  for (let reads = 0; low <= high; reads++) {
    const share = reads < mostGuesses ? (shareOf(wanted) - from) / (to - from || 1) : 0.5
    const index = Math.min(high, low + Math.floor(share * (high - low + 1)))
    const page = await readPage(index)
    const last = page.subarray(entriesEnd - entryBytes, entriesEnd)
    if (wanted.compare(page, 0, entryBytes) < 0) [high, to] = [index - 1, shareOf(page)]
    else if (wanted.compare(last) > 0) [low, from] = [index + 1, shareOf(last)]
    else return holds(page.subarray(0, entriesEnd), wanted)
  }
  return false
}

const holds = (entries: Buffer, wanted: Buffer): boolean => {
  for (let at = entries.indexOf(wanted); at !== -1; at = entries.indexOf(wanted, at + 1)) if (at % entryBytes === 0) return true
  return false
}
