/** People and things in the console's lists. Their names are realistic, so some do not suit a table. */
import { daysAgo } from '../made-up.ts'

/** Number of rows of a full page. The address may reduce it, for tests that look at each kind of row once. */
export const pageRows = Number(new URLSearchParams(globalThis.location?.search ?? '').get('_rows') ?? 50)
/** The place of the next page, as the server writes it. */
export const next = 'WyJjcmVhdGVkQXQiLCJkZXNjIiwxNzYzODc0MDAwMDAwLCJtYWRlLXVwIl0'

const names = [
  'Ann Example',
  'محمد بن عبد الرحمن الأنصاري',
  'Cleopatra Philadelphia-Wolkenstein von Hohenzollern-Sigmaringen',
  '渡辺 美咲',
  'Zoë Åström',
  'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz',
  'Олександра Коваленко-Заболотна',
  'שרה כהן־לוי',
  'X',
  'Nguyễn Thị Minh Khai',
] as const

const addresses = [
  'ann@example.com',
  'm.alansari@example.org',
  'cleopatra.philadelphia.wolkenstein.von.hohenzollern@accounting.subsidiary.international-holdings.example',
  'watanabe.misaki@example.co.jp',
  'zoe@example.se',
  'rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz@verbraucherschutzministerium.example',
  'oleksandra.kovalenko@example.ua',
  'sara@example.net',
  'x@x.example',
  'khai.nguyen+signup-2026-11@example.vn',
] as const

const companies = [
  'Acme',
  'شركة النخيل للتجارة والمقاولات العامة المحدودة',
  'The Extraordinarily Long Named Subsidiary of International Holdings Incorporated (Europe, Middle East and Africa)',
  '株式会社サンプル',
  'Bäckerei Süß & Söhne',
  'Allgemeineversicherungsverwaltungsgesellschaft',
  'ТОВ «Приклад»',
  'קבוצת הדוגמה',
  'I',
  'Northwind Traders',
] as const

const agents = [
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  [
    'Safari on iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1',
  ],
  [
    'Chrome on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  ],
  ['Unknown device', ''],
] as const

const clients = ['203.0.113.7', '2001:db8:85a3:8d3:1319:8a2e:370:7348', '198.51.100.23', '192.0.2.1'] as const

const turn = <const L extends readonly [unknown, ...unknown[]]>(list: L, index: number): L[number] =>
  list[index % list.length] ?? list[0]

export const nameOf = (index: number): string => turn(names, index)
export const emailOf = (index: number): string =>
  index < addresses.length ? turn(addresses, index) : `${index}.${turn(addresses, index)}`
export const companyOf = (index: number): string => turn(companies, index)
export const slugOf = (index: number): string =>
  turn(
    ['acme', 'al-nakheel', 'the-extraordinarily-long-named-subsidiary-of-international-holdings', 'sample', 'baeckerei-suess'],
    index,
  )
export const deviceOf = (index: number) => {
  const [device, userAgent] = turn(agents, index)
  return { device, userAgent }
}
export const addressOf = (index: number): string => turn(clients, index)

/** An id with 20 characters, as real ids have. */
export const idOf = (kind: string, index: number): string =>
  `${kind}${String(index).padStart(3, '0')}Kd6xfJ2mW8sVq0YbTz4n`.slice(0, 20)

/** A time that is longer ago for each further row. */
export const agoOf = (index: number): string => daysAgo(0.02 + index ** 1.7 / 3)

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** The rows of a list for this amount of data. A full page has a next page. */
export const rowsOf = <T>(amount: Amount, make: (index: number) => T): T[] =>
  times({ empty: 0, few: 3, many: pageRows }[amount], make)
export const nextOf = (amount: Amount): string | null => (amount === 'many' ? next : null)
/** The total of a list with a next page. */
export const totalOf = (amount: Amount) => (amount === 'many' ? { count: 104_233, isExact: false } : null)

/** Amounts of data in a list. */
export const amounts = ['empty', 'few', 'many'] as const
export type Amount = (typeof amounts)[number]
