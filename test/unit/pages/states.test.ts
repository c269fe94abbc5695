import { beforeAll, expect, test } from 'vitest'
import { notFound, pages, prefixes } from '../../../admin-ui/hosted/pages.ts'
import { states } from '../../../admin-ui/states/all.ts'
import { answersOf } from '../../../admin-ui/states/answer.ts'
import { brandNames } from '../../../admin-ui/states/brands.ts'
import { Refusal } from '../../../admin-ui/states/state.ts'
import { type Endpoint, endpointOf, faultOf, readEndpoints } from './endpoints.ts'

let endpoints: readonly Endpoint[]
beforeAll(async () => {
  endpoints = await readEndpoints()
})

const pathOf = (path: string) => path.split('?')[0] ?? ''

test('every hosted page has at least one state on the development page, and no state is named twice', () => {
  const paths = states.map(({ path }) => pathOf(path))
  expect(Object.keys(pages).filter((path) => !paths.includes(path))).toEqual([])
  for (const [pattern] of prefixes) expect(paths.some((path) => pattern.test(path))).toBe(true)
  expect(notFound).toBeDefined()
  expect(states.some(({ id }) => id.startsWith('not-found/'))).toBe(true)
  expect(new Set(states.map(({ id }) => id)).size).toBe(states.length)
})

test('the server responses in each state of a page match the contracts', () => {
  const wrong = states.flatMap((state) =>
    brandNames.flatMap((brand) =>
      Object.entries(answersOf(state, brand)).flatMap(([call, answer]) => {
        const endpoint = endpointOf(endpoints, call)
        if (endpoint === undefined) return [`${state.id}: ${call} is no endpoint`]
        if (answer instanceof Refusal || typeof answer === 'symbol') return []
        const fault = faultOf(endpoint, answer)
        return fault === undefined ? [] : [`${state.id}: ${call}: ${fault}`]
      }),
    ),
  )
  expect([...new Set(wrong)].slice(0, 8)).toEqual([])
})
