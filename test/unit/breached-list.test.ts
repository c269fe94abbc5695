import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFileList } from '../../src/authentication/methods/password/breached/file.ts'
import { importBreached } from '../../src/authentication/methods/password/breached/importing.ts'
import { entriesInPage, isInPages, pagesOf } from '../../src/authentication/methods/password/breached/pages.ts'
import { createSorter } from '../../src/authentication/methods/password/breached/sorting.ts'
import { listOf, sha1Of } from '../support/breached.ts'
import { tellsOpenFiles, timesOpen } from '../support/open-files.ts'
import { runs } from '../support/runs.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gatehouse-breached-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const digestOf = (text: string) => createHash('sha1').update(text).digest()
const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix} ${n}`)
const counted = (passwords: readonly string[]) => Object.fromEntries(passwords.map((one) => [one, 1]))

/** Chunks of any size, as they arrive through a pipe. */
const inPieces = (text: string, size: number) =>
  Readable.from(
    Array.from({ length: Math.ceil(text.length / size) }, (_, n) => Buffer.from(text.slice(n * size, (n + 1) * size))),
  )

const make = (text: string, { size = 997, minimumCount = 1, name = 'list.hashes' } = {}) => {
  const output = join(directory, name)
  const options = { source: inPieces(text, size), output, minimumCount, createdAt: new Date('2026-11-22') }
  return importBreached({ ...options, onProgress: () => undefined })
}

describe('the file of breached passwords', () => {
  const listNamed = (name = 'list.hashes') => createFileList(join(directory, name))

  test('every password of a list is found again, whatever the list and the size of its chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 200 }),
        async (passwords, size) => {
          const header = await make(listOf(counted(passwords)), { size })
          expect(header.entries).toBe(passwords.length)
          const list = listNamed()
          const found = await Promise.all(passwords.map((password) => list.has(digestOf(password))))
          expect(found).toEqual(passwords.map(() => true))
        },
      ),
      { numRuns: runs },
    )
  })

  test('each of 10000 listed passwords is refused, and none of 4000 unlisted passwords', async () => {
    const inside = numbered(10_000, 'in the list')
    // A repeated hash is stored once.
    const { entries } = await make(`${listOf(counted(inside))}${listOf({ 'in the list 7': 3 })}`)
    expect(entries).toBe(10_000)
    // Eight bytes for each hash, in pages.
    expect(statSync(join(directory, 'list.hashes')).size).toBe(512 + Math.ceil(10_000 / entriesInPage) * 4096)
    const list = listNamed()
    const foundOf = async (passwords: readonly string[]) => {
      let found = 0
      for (let at = 0; at < passwords.length; at += 200) {
        const answers = await Promise.all(passwords.slice(at, at + 200).map((password) => list.has(digestOf(password))))
        found += answers.filter(Boolean).length
      }
      return found
    }
    expect(await foundOf(numbered(4_000, 'elsewhere'))).toBe(0)
    expect(await foundOf(inside.slice(-1_000))).toBe(1_000)
  })

  test('numbers that do not fit into memory are sorted correctly', () => {
    const number = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 9n }))
    fc.assert(
      fc.property(fc.array(number, { maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (numbers, inMemory) => {
        const file = openSync(join(directory, 'spool'), 'w+')
        const sorter = createSorter(file, inMemory)
        for (const one of numbers) sorter.add(one)
        expect([...sorter.sorted()]).toEqual([...numbers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
        closeSync(file)
      }),
      { numRuns: runs },
    )
  })

  test.each<readonly [what: string, reads: number, share: (at: number) => number]>([
    // Less even than random hashes: the deviation is up to 20,000 of a billion.
    ['distributed like hashes', 4, (at) => at + 2e-5 * Math.sin(at * 1e4)],
    ['spread unevenly', 28, (at) => at ** 6],
  ])('a look-up in a billion hashes that are %s reads at most %d pages', async (_, mostReads, share) => {
    const pages = Math.ceil(1e9 / entriesInPage)
    const entry = (index: number) => BigInt(Math.floor(share(index / 1e9) * 2 ** 52)) << 12n
    for (let looked = 0; looked < 100; looked++) {
      const index = Math.floor(((looked + 0.37) / 100) ** 2 * 1e9)
      for (const off of [0n, 1n]) {
        let reads = 0
        const digest = Buffer.alloc(20)
        digest.writeBigUInt64BE(entry(index) + off)
        const found = await isInPages(digest, pages, async (page) => {
          reads += 1
          const [first] = pagesOf(Array.from({ length: entriesInPage }, (__, n) => entry(page * entriesInPage + n)))
          return first ?? Buffer.alloc(0)
        })
        expect(found).toBe(off === 0n)
        expect(reads).toBeLessThanOrEqual(mostReads)
      }
    }
  })

  test('a list of breached passwords can have any order, lower case and any line ends, and rarely seen passwords are left out', async () => {
    const sorted = numbered(500, 'sorted')
      .map((one, n) => `${sha1Of(one)}:${n}`)
      .sort()
    const first = await make(`${sorted.join('\r\n')}\r\n`, { minimumCount: 100 })
    const second = await make(sorted.reverse().join('\n').toLowerCase(), { minimumCount: 100, name: 'other.hashes' })
    expect(first.entries).toBe(400)
    expect(second).toEqual(first)
    expect(readFileSync(join(directory, 'other.hashes'))).toEqual(readFileSync(join(directory, 'list.hashes')))
  })

  test('an import of breached passwords leaves only its file, readable only by its owner', async () => {
    await make(listOf({ one: 1 }), { name: 'alone.hashes' })
    expect(readdirSync(directory).filter((name) => name.startsWith('alone'))).toEqual(['alone.hashes'])
    expect(statSync(join(directory, 'alone.hashes')).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['NT hashes', `${'A'.repeat(32)}:3\n`, 'Line 1 holds an NT hash'],
    ['hashes without counts', `${listOf({ one: 1 })}${sha1Of('two')}\n`, 'Line 2 has a hash without its count'],
    ['one range only', `${'0'.repeat(35)}:3\n`, 'Line 1 is of a single range'],
    ['passwords', 'password123\nletmein\n', 'Line 1 is something else'],
    ['a line that never ends', 'x'.repeat(100_000), 'Line 1 is something else'],
    ['a count that is not a number', `${sha1Of('one')}:many\n`, 'Line 1 is something else'],
    ['nothing', '', 'The list has no hash'],
    ['padding alone', listOf({ one: 0 }), 'The list has no hash'],
  ])('an import of %s is refused with BREACHED_LIST_IS_INVALID and a message, and creates no file', async (_, text, message) => {
    const refusal = await make(text, { name: 'refused.hashes' }).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'BREACHED_LIST_IS_INVALID', message: expect.stringContaining(message) })
    expect((refusal as Error).message).not.toContain('password123')
    expect(existsSync(join(directory, 'refused.hashes'))).toBe(false)
    expect(readdirSync(directory).filter((name) => name.startsWith('refused'))).toEqual([])
  })

  test.skipIf(!tellsOpenFiles)(
    'a list of breached passwords is open only during look-ups, and another file replaces it at once',
    async () => {
      await make(listOf({ one: 1 }), { name: 'asked.hashes' })
      const path = join(directory, 'asked.hashes')
      const list = createFileList(path)
      expect(await Promise.all(['one', 'two', 'one'].map((text) => list.has(digestOf(text))))).toEqual([true, false, true])
      expect(timesOpen(path)).toBe(0)
      await make(listOf({ two: 1 }), { name: 'asked.hashes' })
      expect([await list.has(digestOf('one')), await list.has(digestOf('two'))]).toEqual([false, true])
      writeFileSync(path, 'something else')
      await expect(list.probe()).rejects.toThrow('is no list of breached passwords')
      rmSync(path)
      await expect(list.has(digestOf('one'))).rejects.toThrow('does not exist')
      expect(timesOpen(path)).toBe(0)
    },
  )

  test.each<readonly [what: string, harm: (bytes: Buffer) => Buffer, message: string]>([
    ['a changed page', (bytes) => Buffer.from(bytes.with(3000, (bytes[3000] ?? 0) ^ 1)), 'its content does not fit its checksum'],
    ['a changed header', (bytes) => Buffer.from(bytes.with(120, 65)), 'its header does not fit its checksum'],
    ['a missing end', (bytes) => bytes.subarray(0, -1), 'is damaged: it has'],
    ['half a header', (bytes) => bytes.subarray(0, 100), 'its header does not fit its checksum'],
    [
      'the format of a Bloom filter, from the first version',
      () => Buffer.from(`gatehouse-breached 1\n${'0'.repeat(5_000)}`),
      'has the form of another version of gatehouse: make it anew with import-breached',
    ],
    [
      'a later format',
      (bytes) => Buffer.from(bytes.toString('latin1').replace('breached 2', 'breached 3'), 'latin1'),
      'another version',
    ],
    ['another content', () => Buffer.from('something else'), 'is no list of breached passwords'],
    ['no content', () => Buffer.alloc(0), 'is no list of breached passwords'],
  ])('a file of breached passwords with %s is refused with a message', async (_, harm, message) => {
    await make(listOf({ one: 1 }), { name: 'whole.hashes' })
    const broken = join(directory, 'broken.hashes')
    writeFileSync(broken, harm(readFileSync(join(directory, 'whole.hashes'))))
    await expect(createFileList(broken).has(digestOf('one'))).rejects.toThrow(message)
    await expect(createFileList(broken).probe()).rejects.toThrow(message)
  })
})
