import { readSync, writeFileSync } from 'node:fs'

const numberBytes = BigUint64Array.BYTES_PER_ELEMENT
const numbersAtOnce = 2048

/** Reads the numbers between two positions of a file. Positions are counted in bytes. */
function* readRun(file: number, from: number, to: number): Generator<bigint> {
  const numbers = new BigUint64Array(numbersAtOnce)
  for (let at = from; at < to; ) {
    const length = readSync(file, numbers, 0, Math.min(numbers.byteLength, to - at), at)
    if (length === 0) throw new Error('the hashes that waited on the disk are gone')
    for (const number of numbers.subarray(0, length / numberBytes)) yield number
    at += length
  }
}

function* merge(left: Iterator<bigint>, right: Iterator<bigint>): Generator<bigint> {
  let [one, other] = [left.next(), right.next()]
  while (one.done !== true || other.done !== true)
    if (other.done === true || (one.done !== true && one.value <= other.value)) {
      yield one.value
      one = left.next()
    } else {
      yield other.value
      other = right.next()
    }
}

const mergeAll = (runs: readonly IterableIterator<bigint>[]): IterableIterator<bigint> => {
  if (runs.length < 2) return runs[0] ?? [].values()
  const middle = runs.length >> 1
  return merge(mergeAll(runs.slice(0, middle)), mergeAll(runs.slice(middle)))
}

/**
 * Sorts more numbers than fit into memory. Sorted runs are written to `file`, which has to be empty, and are merged afterwards. Numbers
 * that arrive in ascending order, as in the official list, need only one run.
 */
export const createSorter = (file: number, inMemory = 2 ** 21) => {
  const waiting = new BigUint64Array(inMemory)
  const runs: { from: number; to: number; last: bigint }[] = []
  let used = 0

  const spill = () => {
    const numbers = waiting.subarray(0, used).sort()
    const [first, last] = [numbers[0], numbers.at(-1)]
    if (first === undefined || last === undefined) return
    writeFileSync(file, numbers)
    const before = runs.at(-1)
    const from = before?.to ?? 0
    const to = from + numbers.byteLength
    if (before !== undefined && before.last <= first) Object.assign(before, { to, last })
    else runs.push({ from, to, last })
    used = 0
  }

  return {
    add: (number: bigint) => {
      if (used === inMemory) spill()
      waiting[used] = number
      used += 1
    },
    /** Returns all added numbers in ascending order. */
    sorted: (): Iterable<bigint> => {
      spill()
      return mergeAll(runs.map(({ from, to }) => readRun(file, from, to)))
    },
  }
}
