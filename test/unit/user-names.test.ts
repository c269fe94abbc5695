import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isReservedName, nameProblem, normalizeName } from '../../src/identity/users/names/rules.ts'

const length = { minLength: 3, maxLength: 30 }
const problemOf = (typed: string) => nameProblem(normalizeName(typed), length)

test('user names may contain letters of any language, digits, dots, dashes and underscores', () => {
  for (const name of [
    'ann',
    'Ann.Example',
    'ann_2-3',
    '_ann',
    '007',
    'Zoë',
    'łukasz',
    'анна',
    'Αννα',
    'İlker',
    'منى1',
    'दीपक',
    '山田太郎',
  ])
    expect([name, problemOf(name)]).toEqual([name, undefined])
})

test('all spellings of a user name are normalized to one spelling', () => {
  const ways: readonly (readonly [string, string])[] = [
    ['ANN', 'ann'],
    ['ａｎｎ', 'ann'],
    ['Ⓐⓝⓝ', 'ann'],
    ['ﬁona', 'fiona'],
    ['Zoe\u0308', 'zoë'],
    ['STRAẞE', 'strasse'],
    ['İlker', 'ilker'],
    ['ılker', 'ilker'],
    ['ΟΔΥΣΣΕΥΣ', normalizeName('οδυσσευς')],
    ['K\u212aim', 'kkim'],
  ]
  for (const [typed, name] of ways) expect(normalizeName(typed)).toBe(name)
})

test.each([
  ['an address', 'ann@example.com'],
  ['a full-width @', 'ann＠example.com'],
  ['a blank', 'ann example'],
  ['a zero-width character', 'an\u200bn'],
  ['a joiner', 'an\u200dn'],
  ['a soft hyphen', 'an\u00adn'],
  ['a variation selector', 'ann\ufe0f'],
  ['a Hangul filler, which is a letter', 'ann\u3164'],
  ['a change of writing direction', 'an\u202en'],
  ['a Cyrillic letter among Latin ones', 'аnn'],
  ['a Greek letter among Latin ones', 'αnn'],
  ['letters of both directions', 'annמנ'],
  ['a combining mark at the beginning', '\u0301ann'],
  ['a pile of combining marks', 'an\u0316\u0317\u0318n'],
  ['a dash at the beginning', '-ann'],
  ['signs alone', '...'],
  ['a picture', 'ann🙂'],
  ['a control character', 'ann\u0007'],
  ['a slash', 'ann/x'],
  ['half a surrogate pair', 'ann\ud800'],
])('%s is refused in a user name', (_, typed) => {
  expect(problemOf(typed)).toBe('INVALID_USERNAME')
})

test('the length of a user name is counted in characters of the normalized form', () => {
  expect(problemOf('an')).toBe('USERNAME_TOO_SHORT')
  expect(problemOf('')).toBe('USERNAME_TOO_SHORT')
  expect(problemOf('a'.repeat(31))).toBe('USERNAME_TOO_LONG')
  expect(problemOf('ﬃ')).toBeUndefined()
  expect(problemOf('𠀀𠀀𠀀')).toBeUndefined()
})

test('names such as admin or support are reserved in every spelling, and so are names from the configuration', () => {
  for (const name of ['admin', 'Ad.min', 'SUPPORT', 'no_reply', 'ｒｏｏｔ'])
    expect(isReservedName(normalizeName(name), [])).toBe(true)
  expect(isReservedName('ann', [])).toBe(false)
  expect(isReservedName('acme', ['Ac-Me'])).toBe(true)
})

test('a normalized user name is normalized to itself, in upper and lower case and every Unicode form', () => {
  const unstable = (typed: string) => {
    const name = normalizeName(typed)
    if (nameProblem(name, { minLength: 1, maxLength: 30 }) !== undefined) return false
    return [name, name.toUpperCase(), name.normalize('NFD')].some((way) => normalizeName(way) !== name) || /[@\s]/u.test(name)
  }
  const found: string[] = []
  // The planes in between contain no characters.
  for (const [first, end] of [
    [0, 0x40000],
    [0xe0000, 0xf0000],
  ] as const)
    for (let point = first; point < end; point += 1) if (unstable(String.fromCodePoint(point))) found.push(point.toString(16))
  expect(found).toEqual([])
  // Marks beside the dot of an i must not produce another name either.
  for (const letter of ['i', 'I', 'ı', 'İ'])
    for (let mark = 0x300; mark < 0x370; mark += 1)
      for (const marks of [`\u0307${String.fromCodePoint(mark)}`, `${String.fromCodePoint(mark)}\u0307`, '\u0307\u0307\u0307'])
        if (unstable(`${letter}${marks}lker`)) found.push(`${letter} ${mark.toString(16)}`)
  expect(found).toEqual([])
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (typed) => !unstable(typed)))
})
