import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeTrailer, encodeTrailer, trailerLength } from '../../src/backup/file/trailer.ts'
import { Header } from '../../src/backup/rules/format.ts'
import { chooseOutdated, fileNameOf, isDue } from '../../src/backup/rules/schedule.ts'
import { openWithPassphrase, sealWithPassphrase } from '../../src/core/passphrase.ts'
import { systemRandom } from '../../src/core/random.ts'

const at = (text: string) => new Date(`2026-11-${text}Z`)
const daily = { everyHours: 24, at: undefined }

test('names of settings in a backup cannot contain a line break or equal a built-in object property', () => {
  const of = (configuration: object, secrets: readonly string[]) => {
    const { error } = Header.safeParse({ configuration, secrets })
    return (error?.issues ?? []).filter(({ path }) => ['configuration', 'secrets'].includes(String(path[0]))).length
  }
  expect(of({ 'sessions.freshAgeSeconds': 1 }, ['social.my-idp.clientSecret', 'smtpUrl'])).toBe(0)
  expect(of({}, ['smtpUrl\nallowInsecureUrl: true'])).toBe(1)
  for (const name of ['a\nb: 1', '__proto__', 'a.__proto__.b', 'a..b'])
    expect(of({ [name]: 1 }, [])).toBe(name === '__proto__' ? 0 : 1)
  expect(of({}, ['__proto__'])).toBe(1)
})

test('a backup is due when the interval has passed since the last good backup', () => {
  const last = { madeAt: at('20T10:00:00'), failedAt: undefined }
  expect(isDue(daily, at('21T09:59:59'), last)).toBe(false)
  expect(isDue(daily, at('21T10:00:00'), last)).toBe(true)
  expect(isDue(daily, at('20T10:00:01'), { madeAt: undefined, failedAt: undefined })).toBe(true)
  expect(isDue({ ...daily, everyHours: 0 }, at('29T10:00:00'), last)).toBe(false)
})

test('a backup with a time of day is due once this time has passed since the last good backup', () => {
  const schedule = { everyHours: 24, at: '03:30' }
  const madeAt = at('20T03:30:10')
  expect(isDue(schedule, at('21T03:29:59'), { madeAt, failedAt: undefined })).toBe(false)
  expect(isDue(schedule, at('21T03:30:00'), { madeAt, failedAt: undefined })).toBe(true)
  // A manual backup in the evening does not replace the nightly one.
  expect(isDue(schedule, at('21T03:31:00'), { madeAt: at('20T22:00:00'), failedAt: undefined })).toBe(true)
  expect(isDue({ everyHours: 6, at: '03:30' }, at('20T09:30:00'), { madeAt, failedAt: undefined })).toBe(true)
  expect(isDue({ everyHours: 6, at: '03:30' }, at('20T09:29:00'), { madeAt, failedAt: undefined })).toBe(false)
})

test('a failed backup is tried again an hour later', () => {
  const last = { madeAt: at('20T10:00:00'), failedAt: at('21T10:00:00') }
  expect(isDue(daily, at('21T10:59:00'), last)).toBe(false)
  expect(isDue(daily, at('21T11:00:00'), last)).toBe(true)
})

test('retention deletes backups that are neither among the newest nor young, and never deletes the newest backup', () => {
  const backups = ['21', '20', '19', '18'].map((day) => ({ day, startedAt: at(`${day}T00:00:00`) }))
  const daysOf = (keep: Parameters<typeof chooseOutdated>[1]) =>
    chooseOutdated(backups, keep, at('21T12:00:00')).map(({ day }) => day)
  expect(daysOf({ count: 2 })).toEqual(['19', '18'])
  expect(daysOf({ count: 2, days: 3 })).toEqual(['18'])
  expect(daysOf({ count: 9 })).toEqual([])
  expect(chooseOutdated(backups.slice(0, 1), { count: 1, days: 1 }, at('29T00:00:00'))).toEqual([])
})

test('the names of backups sort by time', () => {
  expect(fileNameOf(at('22T10:15:00.123'), 'Ab3dEf')).toBe('gatehouse-20261122T101500Z-Ab3dEf.jsonl.gz')
})

test('the end of a backup is gzip of a fixed length, and is refused when any bit differs', () => {
  const trailer = { gatehouseBackupEnd: 1 as const, sha256: 'ab'.repeat(32), mac: Buffer.alloc(32, 7).toString('base64') }
  const bytes = encodeTrailer(trailer)
  expect(bytes.length).toBe(trailerLength)
  expect(JSON.parse(gunzipSync(bytes).toString())).toEqual(trailer)
  expect(decodeTrailer(bytes)).toEqual(trailer)
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const other = Buffer.from(bytes)
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const found = decodeTrailer(other)
    // The changed end is readable but describes another file.
    if (found !== undefined) throw new Error(`bit ${bit} is free`)
  }
})

test('a value sealed under a passphrase opens only with that passphrase and in its context', async () => {
  const box = await sealWithPassphrase('the secrets', 'a long passphrase', 'context', systemRandom)
  expect(JSON.stringify(box)).not.toContain('the secrets')
  expect(await openWithPassphrase(box, 'a long passphrase', 'context')).toBe('the secrets')
  expect(await openWithPassphrase(box, 'a long passphrase ', 'context')).toBeUndefined()
  expect(await openWithPassphrase(box, 'a long passphrase', 'another')).toBeUndefined()
  expect(await openWithPassphrase({ ...box, sealed: '' }, 'a long passphrase', 'context')).toBeUndefined()
})
