import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../admin-ui', import.meta.url))

test.each(['{hosted,shared,docs}', '{console,shared}'])('a class has rules in only one style sheet of %s', (folders) => {
  const homes = new Map<string, Set<string>>()
  for (const sheet of globSync(`${folders}/**/*.css`, { cwd: root }))
    for (const [, name = ''] of readFileSync(`${root}/${sheet}`, 'utf8').matchAll(/^\.([\w-]+) \{/gm))
      homes.set(name, (homes.get(name) ?? new Set()).add(sheet))
  expect(homes.size).toBeGreaterThan(100)
  expect([...homes].filter(([, sheets]) => sheets.size > 1)).toEqual([])
})

test('every class with a rule is used by a page, so that a renamed CSS class does not lose its rule', () => {
  const pages = globSync('{hosted,shared,docs,console,paint}/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !file.includes('locales'),
  )
  const text = pages.map((file) => readFileSync(`${root}/${file}`, 'utf8')).join('\n')
  const isNamed = (name: string) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text)
  // `badge-${tone}` stands for all classes with that beginning.
  const isMade = (name: string) => text.includes(`${name.slice(0, name.lastIndexOf('-') + 1)}\${`)
  const names = new Set<string>()
  for (const sheet of globSync('{hosted,shared,docs,console}/**/*.css', { cwd: root })) {
    const rules = readFileSync(`${root}/${sheet}`, 'utf8').replaceAll(/\/\*.*?\*\/|@import[^;]*;/gs, '')
    for (const [, name = ''] of rules.matchAll(/\.([a-z][\w-]*)/g)) names.add(name)
  }
  // Classes of Mantine's parts are named by Mantine.
  expect(
    [...names].filter((name) => !name.startsWith('mantine-') && !isNamed(name) && !(name.includes('-') && isMade(name))),
  ).toEqual([])
})

test('colours are defined only in the tokens, and company colours in their marks, and other sheets and pages name roles', () => {
  const files = globSync('{hosted,shared,docs,console}/**/*.{css,ts,tsx}', { cwd: root }).filter(
    (file) => !file.endsWith('styles/tokens.css') && file !== 'hosted/social/marks.ts' && !file.includes('locales'),
  )
  expect(files.length).toBeGreaterThan(50)
  const literal = /#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![\w-])|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(/gi
  const found = files.flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(literal)].map(([text]) => `${file}: ${text}`),
  )
  expect(found).toEqual([])
})

test('distances and font sizes are values of the tokens', () => {
  const tokens = readFileSync(`${root}/shared/styles/tokens.css`, 'utf8')
  const values = (role: string) =>
    [...tokens.matchAll(new RegExp(`--${role}-[\\w-]+: ([^;]+);`, 'g'))].map(([, value]) => value ?? '')
  const distances = new Set(values('space'))
  expect([distances.size, values('text').length, values('state').length]).toEqual([12, 10, 16])
  const found = globSync('{hosted,shared,docs}/**/*.css', { cwd: root }).flatMap((file) => {
    if (file.endsWith('tokens.css')) return []
    const rules = readFileSync(`${root}/${file}`, 'utf8')
    const sizes = [...rules.matchAll(/font-size: [\d.]+(?:rem|px)/g)].map(([text]) => text)
    const spaces = [...rules.matchAll(/(?:margin|padding|gap)[a-z-]*: ([^;{}]+)/g)].filter(([, value = '']) =>
      value.split(/[\s()]+/).some((part) => distances.has(part) || /^[\d.]+px$/.test(part)),
    )
    return [...sizes, ...spaces.map(([text]) => text)].map((text) => `${file}: ${text}`)
  })
  expect(found).toEqual([])
})

test('a style sheet has at most 250 lines', () => {
  const long = globSync('{hosted,shared,docs}/**/*.css', { cwd: root }).filter(
    (file) => readFileSync(`${root}/${file}`, 'utf8').split('\n').length > 251,
  )
  expect(long).toEqual([])
})

test('every variable that a style sheet uses is defined, so that a renamed variable does not lose its colour', () => {
  const sheets = globSync('**/*.css', { cwd: root, exclude: ['dist/**'] }).map((file) => readFileSync(`${root}/${file}`, 'utf8'))
  const pages = globSync('{hosted,shared,console}/**/*.{ts,tsx}', { cwd: root }).map((file) =>
    readFileSync(`${root}/${file}`, 'utf8'),
  )
  const given = new Set([...sheets, ...pages].flatMap((text) => [...text.matchAll(/(--[\w-]+)['"]?:/g)].map(([, name]) => name)))
  const used = new Set(sheets.flatMap((text) => [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name)))
  expect([...used].filter((name) => !given.has(name) && name?.startsWith('--mantine-') === false)).toEqual([])
})
