/** SHA-256 of texts that differ only in their last characters. For many short texts, the browser's own digest takes ten times as long. */

const primes = Array.from({ length: 311 }, (_, index) => index + 2)
  .filter((n) => Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, d) => d + 2).every((d) => n % d !== 0))
  .slice(0, 64)
const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0
const constants = Int32Array.from(primes, (n) => fraction(Math.cbrt(n)))
const initial = Int32Array.from(primes.slice(0, 8), (n) => fraction(Math.sqrt(n)))

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by))
const words = new Int32Array(64)

/** Adds a block of 64 bytes to the state. */
const compress = (state: Int32Array, block: DataView) => {
  for (let i = 0; i < 16; i++) words[i] = block.getInt32(i * 4)
  for (let i = 16; i < 64; i++) {
    const [x = 0, y = 0] = [words[i - 15], words[i - 2]]
    const low = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const high = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    words[i] = (words[i - 16] ?? 0) + low + (words[i - 7] ?? 0) + high
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const first =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + (words[i] ?? 0)) | 0
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = (state[i] ?? 0) + (added[i] ?? 0)
}

/** Number of characters of the counter at the end of a text. */
const digits = 8

/**
 * Searches for a text whose hash, after the challenge and a dot, begins with `difficulty` zero bits (at most 32). The returned function
 * tries the next `count` texts, and returns the solution if one of them is right.
 */
export const createSearch = (challenge: string, difficulty: number): ((count: number) => string | undefined) => {
  const prefix = new TextEncoder().encode(`${challenge}.`)
  const whole = Math.floor(prefix.length / 64) * 64
  const start = Int32Array.from(initial)
  for (let at = 0; at < whole; at += 64) compress(start, new DataView(prefix.buffer, at, 64))
  const length = prefix.length + digits
  const tail = new Uint8Array(Math.ceil((length - whole + 9) / 64) * 64)
  tail.set(prefix.subarray(whole))
  const at = prefix.length - whole
  tail[at + digits] = 0x80
  new DataView(tail.buffer).setUint32(tail.length - 4, length * 8)
  const blocks = Array.from({ length: tail.length / 64 }, (_, index) => new DataView(tail.buffer, index * 64, 64))
  const state = new Int32Array(8)
  let next = 0

  return (count) => {
    for (const end = next + count; next < end; next++) {
      const text = next.toString(36).padStart(digits, '0')
      for (let i = 0; i < digits; i++) tail[at + i] = text.charCodeAt(i)
      state.set(start)
      for (const block of blocks) compress(state, block)
      if (Math.clz32(state[0] ?? 0) >= difficulty) return `${challenge}.${text}`
    }
    return undefined
  }
}
