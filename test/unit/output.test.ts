import { expect, test } from 'vitest'
import { csvLine } from '../../src/core/output/csv.ts'
import { columnProblem, formatNext, formatOutput, type Output, type OutputFormat } from '../../src/core/output/format.ts'
import { formatTable } from '../../src/core/output/table.ts'
import { relativeTime } from '../../src/core/output/times.ts'
import { displayWidth, shorten } from '../../src/core/output/width.ts'

const now = new Date('2026-11-22T12:00:00.000Z')
const id = '0193f2c4a1b2c3d4e5f60718293a4b5c'
const list: Output = {
  json: [
    { id, name: 'Ann', address: { city: 'Kyiv' }, createdAt: '2026-11-22T11:57:00.000Z' },
    { id: 'b', name: '=SUM(A1), "x"', address: null, createdAt: '2026-11-21T12:00:00.000Z' },
  ],
  rows: [
    { id, name: 'Ann', createdAt: '2026-11-22T11:57:00.000Z' },
    { id: 'b', name: '=SUM(A1), "x"', createdAt: '2026-11-21T12:00:00.000Z' },
  ],
}
const printed = (output: Output, format: OutputFormat, columns?: readonly string[]) => formatOutput(output, { format, columns })

test('each format prints the same list: JSON completely, JSON Lines one element a line, CSV the columns of the table, id only the ids', () => {
  expect(JSON.parse(printed(list, 'json'))).toEqual(list.json)
  expect(
    printed(list, 'jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(list.json)
  expect(printed(list, 'csv')).toBe(
    `id,name,createdAt\n${id},Ann,2026-11-22T11:57:00.000Z\nb,"'=SUM(A1), ""x""",2026-11-21T12:00:00.000Z\n`,
  )
  expect(printed(list, 'id')).toBe(`${id}\nb\n`)
  expect(printed(list, 'table')).toContain('2026-11-22T11:57:00.000Z')
})

test('columns are printed in the requested order, including columns that the table omits', () => {
  expect(printed(list, 'csv', ['address', 'id'])).toBe(`address,id\n"{""city"":""Kyiv""}",${id}\n,b\n`)
  expect(JSON.parse(printed(list, 'json', ['name']))).toEqual([{ name: 'Ann' }, { name: '=SUM(A1), "x"' }])
  expect(printed(list, 'jsonl', ['name']).split('\n')[0]).toBe('{"name":"Ann"}')
  expect(printed(list, 'table', ['name', 'id']).split('\n')[1]).toBe(`Ann            ${id}`)
})

test('the error for an unknown column lists the known columns, and any column is accepted if there are no rows', () => {
  expect(columnProblem(list, ['id', 'mail'])).toBe('--columns: there is no column mail; there are: id, name, createdAt, address')
  expect(columnProblem(list, ['address'])).toBeUndefined()
  expect(columnProblem({ json: [], rows: [] }, ['mail'])).toBeUndefined()
})

test('an empty list is printed as the word none for people, and as nothing or [] for programs', () => {
  const empty = { json: [], rows: [] }
  expect([printed(empty, 'csv'), printed(empty, 'jsonl'), printed(empty, 'id')]).toEqual(['', '', ''])
  expect([printed(empty, 'json'), printed(empty, 'table')]).toEqual(['[]\n', 'none\n'])
})

test('a result that is not a list is one line of CSV or JSON Lines, and its id with format id', () => {
  const made = { json: { client_id: 'c1', secret: '-s' }, text: 'Made c1.' }
  expect(printed(made, 'csv')).toBe("client_id,secret\nc1,'-s\n")
  expect(printed(made, 'jsonl')).toBe('{"client_id":"c1","secret":"-s"}\n')
  expect(printed(made, 'id')).toBe('c1\n')
  expect(printed(made, 'table')).toBe('Made c1.\n')
  expect(printed({ json: { a: 1, b: 2 } }, 'table', ['b'])).toBe('b  2\n')
})

test('several tables of one result are printed under their titles, after the sentence about them', () => {
  const output = { json: {}, text: 'ann is a member', sections: [{ title: 'Claims', rows: [{ claim: 'sub' }] }] }
  expect(printed(output, 'table')).toBe('ann is a member\n\nClaims\n  claim\n  sub\n')
})

test('text that a spreadsheet reads as a formula is made harmless in CSV, and numbers are unchanged', () => {
  expect(csvLine(['=1+1', '+cmd', '-2+3', '@SUM', '\tx', '＝1'])).toBe("'=1+1,'+cmd,'-2+3,'@SUM,'\tx,'＝1\n")
  expect(csvLine([-5, '-5', '+4.2', null, undefined, true, new Date(0)])).toBe('-5,-5,+4.2,,,true,1970-01-01T00:00:00.000Z\n')
  expect(csvLine(['a"b', 'a\nb', 'a,b'])).toBe('"a""b","a\nb","a,b"\n')
})

test('times are relative and in words on a terminal', () => {
  const at = (ms: number) => relativeTime(new Date(now.getTime() + ms), now)
  expect([at(-180_000), at(-61_000), at(-1_000), at(0), at(-999)]).toEqual([
    '3 minutes ago',
    '1 minute ago',
    '1 second ago',
    'now',
    'now',
  ])
  expect([at(7_200_000), at(-86_400_000), at(-40 * 86_400_000), at(-800 * 86_400_000)]).toEqual([
    'in 2 hours',
    '1 day ago',
    '1 month ago',
    '2 years ago',
  ])
  expect(formatTable(list.rows ?? [], { now })).toMatch(/Ann +3 minutes ago\n/)
  expect(formatOutput({ json: { at: now.toISOString() } }, { format: 'table', view: { now } })).toBe(
    'at  2026-11-22T12:00:00.000Z (now)\n',
  )
})

test('a table fits the terminal: sentences are shortened at the end, words in the middle, ids last', () => {
  const rows = [{ id, url: 'https://auth.example.com/callback/github', note: 'a sentence that goes on and on until it is cut' }]
  const table = formatTable(rows, { width: 80 })
  for (const line of table.trimEnd().split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(80)
  expect(table).toContain(id)
  expect(table).toMatch(/https:\S+…\S+github {2}a sentence.*…\n/)
  const narrow = formatTable(rows, { width: 42 })
  for (const line of narrow.trimEnd().split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(42)
  expect(narrow).toMatch(/0193\S*…\S*4b5c/)
  expect(formatTable(rows, { width: 20 })).toMatch(new RegExp(`^id {4}${id}\nurl {3}https`))
  expect(formatTable(rows)).toContain('until it is cut')
})

test('wide characters count as two columns and combining marks as none', () => {
  expect([displayWidth('日本'), displayWidth('e\u0301'), displayWidth('👩‍👩‍👧'), displayWidth('Ω')]).toEqual([4, 1, 2, 1])
  expect(shorten('日本語の名前', 7)).toBe('日…前')
  const [, first = '', second = ''] = formatTable([
    { name: '日本', x: 1 },
    { name: 'Anna', x: 2 },
  ]).split('\n')
  expect([first, second]).toEqual(['日本  1', 'Anna  2'])
})

test('colours are used on request, and never change the text', () => {
  const rows = [{ id: 'a', state: 'failed' }]
  const colourful = formatTable(rows, { isColoured: true })
  expect(colourful).toContain('\u001b[31mfailed\u001b[39m')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are what is removed
  expect(colourful.replace(/\u001b\[\d+m/g, '')).toBe(formatTable(rows))
})

test('untrusted text can neither control the terminal nor reverse its direction', () => {
  expect(formatTable([{ name: 'a\u001b[2Jb\u202ec\nd' }])).toBe('name\na\ufffd[2Jb\ufffdc d\n')
})

test('the hint about the next page says which option to add, as JSON when results are JSON', () => {
  expect(formatNext({ json: [], next: 'b.1' }, 'table')).toBe('more: add --after b.1\n')
  expect(formatNext({ json: [], next: '--before 42' }, 'csv')).toBe('more: add --before 42\n')
  expect(formatNext({ json: [], next: 'x y' }, 'json')).toBe(`{"next":"--after 'x y'"}\n`)
  expect([formatNext({ json: [] }, 'table'), formatNext({ json: [], next: null }, 'table')]).toEqual([undefined, undefined])
})
