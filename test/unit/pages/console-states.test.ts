import { beforeAll, expect, test } from 'vitest'
import { groups } from '../../../admin-ui/console/groups.ts'
import { next, pageRows } from '../../../admin-ui/states/console/made-up.ts'
import { consoleStates, kinds } from '../../../admin-ui/states/console/states.ts'
import { JsonLines, Refusal } from '../../../admin-ui/states/state.ts'
import { type Endpoint, endpointOf, faultOf, readEndpoints } from './endpoints.ts'

let endpoints: readonly Endpoint[]
beforeAll(async () => {
  endpoints = await readEndpoints()
})

test('every screen of the console is on the development page empty, with little and much data, read-only, refused and failing', () => {
  const paths = groups.flatMap(({ screens }) =>
    screens.flatMap(({ path, details = [] }) => [path, ...details.map((one) => one.path)]),
  )
  const lacking = paths.flatMap((path) => {
    const ids = consoleStates.filter(({ pattern }) => pattern === path).map(({ id }) => id)
    return kinds.filter((kind) => !ids.some((id) => id.endsWith(`/${kind}`))).map((kind) => `${path}: ${kind}`)
  })
  expect(lacking).toEqual([])
  expect(new Set(consoleStates.map(({ id }) => id)).size).toBe(consoleStates.length)
})

test('the server responses in each state of the console match the contracts', () => {
  const seen = new Set<unknown>()
  const wrong = consoleStates.flatMap(({ id, answers }) =>
    Object.entries(answers).flatMap(([call, answer]) => {
      const endpoint = endpointOf(endpoints, call)
      if (endpoint === undefined) return [`${id}: ${call} is no endpoint`]
      // Files of lines have no schema, because they are not one JSON document.
      if (answer instanceof Refusal || typeof answer === 'symbol' || answer instanceof JsonLines || seen.has(answer)) return []
      seen.add(answer)
      const fault = faultOf(endpoint, answer)
      return fault === undefined ? [] : [`${id}: ${call}: ${fault}`]
    }),
  )
  expect(wrong.slice(0, 8)).toEqual([])
})

test('lists in the state with much data fill a page, and another page follows', () => {
  const full = consoleStates
    .filter(({ id }) => id.endsWith('/many'))
    .flatMap(({ answers }) => Object.values(answers))
    .filter((answer) => typeof answer === 'object' && answer !== null && 'next' in answer && answer.next === next)
  const lengths = full.map((answer) =>
    Math.max(...Object.values(answer as object).map((one) => (Array.isArray(one) ? one.length : 0))),
  )
  expect(lengths.filter((length) => length === pageRows).length).toBeGreaterThan(12)
})
