import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFileList, openBloomFile } from '../../src/authentication/methods/password/breached/file.ts'
import { importBreached } from '../../src/authentication/methods/password/breached/importing.ts'
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

/** In pieces of any size, as they come through a pipe. */
const inPieces = (text: string, size: number) =>
  Readable.from(
    Array.from({ length: Math.ceil(text.length / size) }, (_, n) => Buffer.from(text.slice(n * size, (n + 1) * size))),
  )

const make = (text: string, { size = 997, minimumCount = 1, falsePositiveRate = 0.001, name = 'list.bloom' } = {}) => {
  const output = join(directory, name)
  const options = { source: inPieces(text, size), output, minimumCount, falsePositiveRate, createdAt: new Date('2026-11-22') }
  return importBreached({ ...options, onProgress: () => undefined })
}

describe('the file of breached passwords', () => {
  test('every password of a list is found again, whatever the list, the size of its pieces and the rate', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 200 }),
        fc.constantFrom(0.1, 0.01, 0.001, 0.000_001),
        async (passwords, size, falsePositiveRate) => {
          const header = await make(listOf(counted(passwords)), { size, falsePositiveRate })
          expect(header.entries).toBe(passwords.length)
          const file = await openBloomFile(join(directory, 'list.bloom'))
          for (const password of passwords) expect(await file.has(digestOf(password))).toBe(true)
          await file.close()
        },
      ),
      { numRuns: runs },
    )
  })

  test.each([0.01, 0.001])(
    'of 20000 passwords that are not in the list, at most 1.3 × the share %d is refused',
    async (falsePositiveRate) => {
      const { entries, blocks, hashes, sha256 } = await make(listOf(counted(numbered(50_000, 'in the list'))), {
        falsePositiveRate,
      })
      expect([entries, sha256]).toEqual([50_000, expect.stringMatching(/^[0-9a-f]{64}$/)])
      const file = await openBloomFile(join(directory, 'list.bloom'))
      let wrong = 0
      for (const password of numbered(20_000, 'elsewhere')) if (await file.has(digestOf(password))) wrong += 1
      await file.close()
      expect(wrong / 20_000).toBeLessThan(falsePositiveRate * 1.3)
      // The room that a filter of this rate needs, and a little more.
      expect((blocks * 4096) / entries).toBeLessThan((hashes / Math.LN2) * 1.3)
    },
  )

  test('a list may come in any order, in small letters, with any line ends, and passwords seen too rarely are left out', async () => {
    const sorted = numbered(500, 'sorted')
      .map((one, n) => `${sha1Of(one)}:${n}`)
      .sort()
    const first = await make(`${sorted.join('\r\n')}\r\n`, { minimumCount: 100 })
    const second = await make(sorted.reverse().join('\n').toLowerCase(), { minimumCount: 100, name: 'other.bloom' })
    expect(first.entries).toBe(400)
    expect(second).toEqual(first)
    expect(readFileSync(join(directory, 'other.bloom'))).toEqual(readFileSync(join(directory, 'list.bloom')))
  })

  test("an import leaves nothing behind but its file, which is the owner's alone", async () => {
    await make(listOf({ one: 1 }), { name: 'alone.bloom' })
    expect(readdirSync(directory).filter((name) => name.startsWith('alone'))).toEqual(['alone.bloom'])
    expect(statSync(join(directory, 'alone.bloom')).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['NT hashes', `${'A'.repeat(32)}:3\n`, 'Line 1 holds an NT hash'],
    ['hashes without counts', `${listOf({ one: 1 })}${sha1Of('two')}\n`, 'Line 2 has a hash without its count'],
    ['a single range', `${'0'.repeat(35)}:3\n`, 'Line 1 is of a single range'],
    ['passwords', 'password123\nletmein\n', 'Line 1 is something else'],
    ['a line without an end', 'x'.repeat(100_000), 'Line 1 is something else'],
    ['a count that is no number', `${sha1Of('one')}:many\n`, 'Line 1 is something else'],
    ['nothing', '', 'The list has no hash'],
    ['padding alone', listOf({ one: 0 }), 'The list has no hash'],
  ])('an import of %s is refused with BREACHED_LIST_IS_INVALID in words, and makes no file', async (_, text, message) => {
    const refusal = await make(text, { name: 'refused.bloom' }).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'BREACHED_LIST_IS_INVALID', message: expect.stringContaining(message) })
    expect((refusal as Error).message).not.toContain('password123')
    expect(existsSync(join(directory, 'refused.bloom'))).toBe(false)
    expect(readdirSync(directory).filter((name) => name.startsWith('refused'))).toEqual([])
  })

  test.skipIf(!tellsOpenFiles)(
    'a list is open only while somebody asks it, and another file takes its place at once',
    async () => {
      await make(listOf({ one: 1 }), { name: 'asked.bloom' })
      const path = join(directory, 'asked.bloom')
      const list = createFileList(path)
      expect(await Promise.all(['one', 'two', 'one'].map((text) => list.has(digestOf(text))))).toEqual([true, false, true])
      expect(timesOpen(path)).toBe(0)
      await make(listOf({ two: 1 }), { name: 'asked.bloom' })
      expect([await list.has(digestOf('one')), await list.has(digestOf('two'))]).toEqual([false, true])
      writeFileSync(path, 'something else')
      await expect(list.probe()).rejects.toThrow('is no list of breached passwords')
      rmSync(path)
      await expect(list.has(digestOf('one'))).rejects.toThrow('does not exist')
      expect(timesOpen(path)).toBe(0)
    },
  )

  test.each<readonly [what: string, harm: (bytes: Buffer) => Buffer, message: string]>([
    [
      'a changed block',
      (bytes) => Buffer.from(bytes.with(3000, (bytes[3000] ?? 0) ^ 1)),
      'its content does not fit its checksum',
    ],
    ['a changed header', (bytes) => Buffer.from(bytes.with(120, 65)), 'its header does not fit its checksum'],
    ['a missing end', (bytes) => bytes.subarray(0, -1), 'is damaged: it has'],
    ['half a header', (bytes) => bytes.subarray(0, 100), 'its header does not fit its checksum'],
    [
      'another form',
      (bytes) => Buffer.from(bytes.toString('latin1').replace('breached 1', 'breached 2'), 'latin1'),
      'another version',
    ],
    ['another content', () => Buffer.from('something else'), 'is no list of breached passwords'],
    ['no content', () => Buffer.alloc(0), 'is no list of breached passwords'],
  ])('a file of breached passwords with %s is refused in words', async (_, harm, message) => {
    await make(listOf({ one: 1 }), { name: 'whole.bloom' })
    const broken = join(directory, 'broken.bloom')
    writeFileSync(broken, harm(readFileSync(join(directory, 'whole.bloom'))))
    await expect(openBloomFile(broken)).rejects.toThrow(message)
  })
})
