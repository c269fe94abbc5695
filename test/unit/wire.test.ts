import { expect, test } from 'vitest'
import { nameFrom, nameInput, parseEmail, pictureInput } from '../../src/core/wire.ts'

test('only an email address that is valid as typed is lower-cased, so that no letter is normalized to an ASCII letter', () => {
  expect(parseEmail(' Kate@X.Example ')).toBe('kate@x.example')
  for (const bad of ['\u212Aate@x.example', 'kate@\u212A.example', 'ﬁ@x.example', '\u0130@x.example', 'a@b@c'])
    expect(parseEmail(bad), bad).toBeUndefined()
})
const problemsOf = (name: string) => nameInput.safeParse(name).error?.issues.map(({ message }) => message) ?? []
const unwritable = 'must not contain control characters, line breaks or direction overrides'

test.each([
  ['a line break', 'Ann\nBcc: all@example.com'],
  ['a carriage return', 'Ann\rExample'],
  ['a tab', 'Ann\tExample'],
  ['an escape sequence', 'Ann \u001b[2J'],
  ['a C1 control character', 'Ann\u0085Example'],
  ['a line separator', 'Ann\u2028Example'],
  ['a direction override', 'Ann \u202Egpj.exe'],
  ['an isolate', 'Ann \u2066Example\u2069'],
])('%s in a name is refused', (_, name) => {
  expect(problemsOf(name)).toEqual([unwritable])
})

test.each([
  ' ',
  '\u00a0\u3000',
  '\u200b\u200d',
  '\ufeff',
  '\u3164',
  '\u115f\u1160',
  '\u2800',
  '\u00ad',
  '\u{e0041}',
  '\u0301',
  '\u061c',
])('a name without a visible character is refused: %j', (name) => expect(problemsOf(name)).toEqual(['must not be blank']))

test('names in any script are accepted unchanged', () => {
  for (const name of [
    'Ann Example',
    'Łukasz Żółć',
    '山田太郎',
    'علی‌رضا',
    'בן־דוד',
    'O’Brien, Jr.',
    '👩‍👩‍👧',
    'X Æ A-12',
    'e\u0301',
    '7',
    'Nguyễn Thị Ánh'.normalize('NFD'),
    'קׇ֥דֶשׁ',
    'क्षेत्रज्ञ',
  ])
    expect(nameInput.parse(name)).toBe(name)
})

test("combining marks piled on a character are refused in a name, even with joiners between them, and removed from a provider's name", () => {
  const piled = ['must not have more than 8 combining marks on one character']
  for (const mark of ['\u0301', '\u0489', '\u0301\u200d', '\u0301\u2060']) {
    expect(problemsOf(`Ann${mark.repeat(60)}`), mark).toEqual(piled)
    expect(problemsOf(`Ann${mark.repeat(8)}`), mark).toEqual([])
  }
  expect(nameFrom(`A${'\u0301'.repeat(150)}nn`)).toBe(`A${'\u0301'.repeat(8)}nn`)
})

test('a name from a provider is cleaned, and undefined when nothing visible is left', () => {
  expect(nameFrom(' Ann\r\nExample\u202e ')).toBe('Ann Example')
  expect(nameFrom(`${'x'.repeat(199)}😀`)).toHaveLength(200)
  for (const nothing of ['', '\u200b', '\n\n']) expect(nameFrom(nothing)).toBeUndefined()
})

test.each([
  'https://a.example/x y.png',
  ' https://a.example/x.png',
  'https://a.example/x.png ',
  'https://a.example/\nx.png',
  'https://a.example/\tx.png',
  'https://a.example/\u0000x.png',
  'https://a.example/\u007fx.png',
  'https://a.example/\u00a0x.png',
  'https://a.example/\u2028x.png',
  'https://a.example/"onerror=alert(1)',
  "https://a.example/'x",
  'https://a.example/`x',
  'https://a.example/<x>',
  'https://a.example\\x',
  'https://ann@a.example/x.png',
  'http://a.example/x.png',
  'data:image/png;base64,AAAA',
  'javascript:alert(1)',
  '//a.example/x.png',
  '',
])('%j is not a valid picture URL', (text) => expect(pictureInput.safeParse(text).success).toBe(false))

test.each([
  ['https://a.example/x.png', 'https://a.example/x.png'],
  ['HTTPS://A.Example:443/a/../x.png', 'https://a.example/x.png'],
  ['https://exämple.de/ä.png?q=ü#f', 'https://xn--exmple-cua.de/%C3%A4.png?q=%C3%BC#f'],
  ['https://a.example', 'https://a.example/'],
  ['http://localhost:3000/x.png', 'http://localhost:3000/x.png'],
])('the picture URL %s is stored as %s', (text, stored) => expect(pictureInput.parse(text)).toBe(stored))
