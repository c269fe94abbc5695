import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { notFound, pages, prefixes } from '../../../admin-ui/hosted/pages.ts'
import { states } from '../../../admin-ui/states/all.ts'
import { answersOf } from '../../../admin-ui/states/answer.ts'
import { brandNames } from '../../../admin-ui/states/brands.ts'
import { Refusal } from '../../../admin-ui/states/state.ts'

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly response: { safeParse(value: unknown): { readonly success: boolean; readonly error?: Error } }
}

const source = fileURLToPath(new URL('../../../src', import.meta.url))
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'response' in value

const endpoints: Endpoint[] = []
beforeAll(async () => {
  const files = globSync('**/{contract.ts,contract/*.ts}', { cwd: source }).filter((file) => !file.startsWith('http/'))
  for (const file of files)
    for (const exported of Object.values<object>(await import(`${source}/${file}`)))
      if (typeof exported === 'object' && exported !== null) endpoints.push(...Object.values(exported).filter(isEndpoint))
})

const endpointOf = (call: string) => {
  const [method, path = ''] = call.split(' ')
  return endpoints.find(
    (endpoint) => endpoint.method === method && new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
  )
}

const pathOf = (path: string) => path.split('?')[0] ?? ''

test('every hosted page has at least one state on the development page, and no state is named twice', () => {
  const paths = states.map(({ path }) => pathOf(path))
  expect(Object.keys(pages).filter((path) => !paths.includes(path))).toEqual([])
  for (const [pattern] of prefixes) expect(paths.some((path) => pattern.test(path))).toBe(true)
  expect(notFound).toBeDefined()
  expect(states.some(({ id }) => id.startsWith('not-found/'))).toBe(true)
  expect(new Set(states.map(({ id }) => id)).size).toBe(states.length)
})

test('what the made-up server answers in a state is what the real one could answer', () => {
  const wrong = states.flatMap((state) =>
    brandNames.flatMap((brand) =>
      Object.entries(answersOf(state, brand)).flatMap(([call, answer]) => {
        const endpoint = endpointOf(call)
        if (endpoint === undefined) return [`${state.id}: ${call} is no endpoint`]
        if (answer instanceof Refusal || typeof answer === 'symbol') return []
        const { success, error } = endpoint.response.safeParse(JSON.parse(JSON.stringify(answer)))
        return success ? [] : [`${state.id}: ${call}: ${error?.message}`]
      }),
    ),
  )
  expect([...new Set(wrong)].slice(0, 8)).toEqual([])
})
