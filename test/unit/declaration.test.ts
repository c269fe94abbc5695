import { expect, test } from 'vitest'
import { readDeclaration } from '../../src/apply/read.ts'

const refusalOf = (input: string): { readonly message: string; readonly paths: readonly string[] } => {
  try {
    readDeclaration('-', { input, env: {} })
    return { message: '', paths: [] }
  } catch (error) {
    const { message, issues = [] } = error as { message: string; issues?: readonly { readonly path: string }[] }
    return { message, paths: issues.map(({ path }) => path) }
  }
}

test('a key of a declaration that schemas ignore is refused by its name, at any depth', () => {
  const { paths } = refusalOf(`source: x
__proto__: { clients: {} }
clients:
  __proto__: { name: Shop }
  shop: { name: Shop, redirectUris: ['https://a.example'], __proto__: { skipConsent: true } }
organizations:
  acme: { name: Acme, metadata: { __proto__: { plan: gold } } }
webhookEndpoints: { __proto__: { secretEnv: A } }
`)
  expect(paths.toSorted()).toEqual([
    '__proto__',
    'clients.__proto__',
    'clients.shop.__proto__',
    'organizations.acme.metadata.__proto__',
    'webhookEndpoints.__proto__',
  ])
  expect(refusalOf('source: x\nconstructor: 1\ntoString: 2\n').paths).toEqual(['constructor', 'toString'])
})

test('a YAML alias that refers to its own container is refused without an endless loop', () => {
  expect(refusalOf('source: x\norganizations: { acme: &a { name: Acme, metadata: *a } }\n').message).not.toBe('')
})

test('a self-referring YAML alias is named even where values are free, and so is too deep a nesting', () => {
  const endless = 'an alias leads to the mapping or list that it stands in'
  expect(refusalOf('source: x\norganizations: { acme: { name: Acme, metadata: &a { of: *a } } }\n').message).toContain(endless)
  expect(refusalOf('source: x\nsettings: { brand.links: &a [*a] }\n').message).toContain(endless)
  expect(refusalOf('&a\nsource: x\nsettings: *a\n').message).toContain(endless)
  const nested = (levels: number) => `source: x\nsettings: { brand.links: ${'['.repeat(levels)}${']'.repeat(levels)} }\n`
  expect(refusalOf(nested(150)).message).toContain('nested deeper than 100 levels')
  expect(refusalOf(nested(90)).message).toBe('')
  expect(refusalOf('source: x\nsettings: { a: &a [1], b: [*a, *a] }\n').message).toBe('')
})

test('a repeated key in one mapping is named', () => {
  expect(refusalOf('source: x\norganizations:\n  acme: { name: A }\n  acme: { name: B }\n').message).toContain('acme')
})

const wrongEntries = (count: number) => `clients:\n${Array.from({ length: count }, (_, i) => `  c${i}: { nme: x }`).join('\n')}`

test('of many wrong entries in a declaration the first hundred are listed, with the total number', () => {
  const { message, paths } = refusalOf(wrongEntries(3_000))
  expect(paths).toHaveLength(100)
  expect(message).toMatch(/^standard input has 6000 problems:\n {2}- clients\.c0\./)
  expect(message).toMatch(/\n {2}and 5900 more$/)
  expect(message.split('\n')).toHaveLength(102)
})

test('reading wrong entries of a declaration takes time in proportion to their number', () => {
  const timeOf = (count: number) => {
    const text = wrongEntries(count)
    const start = process.cpuUsage()
    refusalOf(text)
    return process.cpuUsage(start).user
  }
  timeOf(2_000)
  // Sixteen times as long where each entry is compared with all earlier ones.
  expect(timeOf(40_000) / timeOf(10_000)).toBeLessThan(9)
})
