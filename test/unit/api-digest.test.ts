/** The digest of the API shows in a review which operations and schemas a change touches. */
import { expect, test } from 'vitest'
import { type ApiDocument, apiDocument, digestOf } from '../../bin/api-document.ts'

const document = apiDocument()
const linesOf = (read: ApiDocument) => digestOf(read).trimEnd().split('\n')
const before = linesOf(document)

/** The names in the changed lines of the digest after this part of the document is replaced. */
const changedBy = (change: (part: object) => object, path: readonly string[]): readonly string[] => {
  const replaced = (value: object, [key = '', ...rest]: readonly string[]): object => {
    const inner = (value as Record<string, object>)[key] ?? {}
    return { ...value, [key]: rest.length === 0 ? change(inner) : replaced(inner, rest) }
  }
  return linesOf(replaced(document, path) as ApiDocument)
    .filter((line) => !before.includes(line))
    .map((line) => line.split(' ').slice(0, -1).join(' '))
}

test('the digest of the API has one line for each operation and each named schema', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods))
  expect(before.filter((line) => line.startsWith('schema '))).toHaveLength(Object.keys(document.components.schemas).length)
  expect(before.filter((line) => /^[A-Z]+ \//.test(line))).toHaveLength(operations.length)
})

test('a changed shape changes only the line of its operation or schema in the digest of the API', () => {
  expect(changedBy((part) => ({ ...part, deprecated: true }), ['paths', '/ok', 'get'])).toEqual([
    expect.stringMatching('GET /ok '),
  ])
  const more = (part: object) => ({ ...part, more: { type: 'string' } })
  expect(changedBy(more, ['components', 'schemas', 'Error', 'properties'])).toEqual(['schema Error'])
})

test("a new error code of an operation changes the operation's line in the digest of the API", () => {
  const refused = ['paths', '/account-info', 'post', 'responses', '400']
  const added = (part: object) => ({ ...part, description: '`ANOTHER_CODE` (400): Another code' })
  expect(changedBy(added, refused)).toEqual(['POST /account-info accountInfo'])
})

test('other descriptions of an operation, or another order of its keys, do not change the digest of the API', () => {
  const reworded = (part: object) => ({
    ...Object.fromEntries(Object.entries(part).reverse()),
    summary: 'Other words',
    description: 'Other words',
  })
  expect(changedBy(reworded, ['paths', '/account-info', 'post'])).toEqual([])
})
