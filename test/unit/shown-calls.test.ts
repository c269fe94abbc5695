import { expect, test } from 'vitest'
import { problemOf, recordedCalls } from '../support/shown-calls.ts'

test('the server and the command line understand every recorded call and command of the console', () => {
  const texts = recordedCalls()
  expect(texts.filter((text) => text.startsWith('gatehouse ')).length).toBeGreaterThan(60)
  expect(texts.filter((text) => text.startsWith('curl ')).length).toBeGreaterThan(90)
  expect(texts.flatMap((text) => problemOf(text) ?? [])).toEqual([])
})

test.each([
  ['a command that does not exist', 'gatehouse ban-users ada@example.com'],
  ['an option that does not exist', 'gatehouse ban-user ada@example.com --because spam'],
  ['a call that does not exist', 'curl -s https://id.example.com/admin/nothing'],
  ['a body with an unknown field', `curl -s -X PATCH https://id.example.com/admin/clients/cli1 -d '{"colour":"red"}'`],
  ['a query with an unknown parameter', "curl -s 'https://id.example.com/admin/users?colour=red'"],
  ['a query with an unknown value', "curl -s 'https://id.example.com/admin/users?sort=colour'"],
])('%s is a problem of a copied text', (_, text) => {
  expect(problemOf(text)).toContain(text)
})
