import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { codeOf, coreErrors, errorsOf, listErrors } from '../../src/core/errors.ts'
import type { Endpoint } from '../../src/http/contract.ts'
import { documentedErrors } from '../../src/http/documented-errors.ts'
import { watchRefusals } from '../support/api-document.ts'

const thingErrors = errorsOf({ THING_NOT_FOUND: [[404, 401], 'Thing not found'], NO_THING: [400, 'No thing'] })
const errorTables = [coreErrors.table, thingErrors.table]
const listed = listErrors(errorTables)

const endpoint = (...errors: readonly string[]): Endpoint => ({
  method: 'GET',
  path: '/things/:id',
  summary: 'One thing',
  access: 'anonymous',
  response: z.object({}),
  errors,
})
const statusOf = (declared: Endpoint, code: string) =>
  documentedErrors(declared, listed).flatMap((error) => (error.code === code ? [error.status] : []))

test('an error code is documented under the status that its endpoint declares, and a code of several statuses must be declared', () => {
  expect(statusOf(endpoint('NO_THING', '401 THING_NOT_FOUND'), 'THING_NOT_FOUND')).toEqual([401])
  expect(statusOf(endpoint('401 THING_NOT_FOUND', '404 THING_NOT_FOUND'), 'THING_NOT_FOUND')).toEqual([401, 404])
  expect(statusOf(endpoint('NO_THING'), 'NO_THING')).toEqual([400])
  for (const wrong of ['THING_NOT_FOUND', '403 THING_NOT_FOUND', '404 NO_THING', 'UNHEARD_OF'])
    expect(() => documentedErrors(endpoint(wrong), listed), wrong).toThrow(`/things/:id declares ${wrong}`)
})

test('a test fails if a response has an error that the API document does not list for the operation', async () => {
  const server = createServer((req, res) => {
    const [, status = '', code = ''] = /\?(\d+)=(\w+)/.exec(req.url ?? '') ?? []
    res.writeHead(Number(status)).end(JSON.stringify({ code, message: '' }))
  })
  const routes = [{ name: 'thing', endpoint: endpoint('404 THING_NOT_FOUND'), handle: () => ({}) }]
  const check = watchRefusals(server, { routes, errorTables } as unknown as Parameters<typeof watchRefusals>[1])
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const ask = (target: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${target}`)
  try {
    for (const fine of [
      '/things/1?404=THING_NOT_FOUND',
      '/api/auth/things/1?400=VALIDATION_ERROR',
      '/other/1?401=THING_NOT_FOUND',
    ])
      await ask(fine)
    expect(check).not.toThrow()
    await ask('/things/1?401=THING_NOT_FOUND')
    await ask('/api/auth/things/2?404=NO_THING')
    expect(check).toThrow('GET /things/:id answered 401 THING_NOT_FOUND\nGET /things/:id answered 404 NO_THING')
  } finally {
    server.close()
  }
})

test('the page of errors marks exactly the error codes that differ from their message in upper case', () => {
  const page = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z0-9_]+)`( \*)?(?:,[^|]*)? \| [\d, ]+ \| (.*) \|$/gm)]
  expect(rows.length).toBeGreaterThan(250)
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toHaveLength(rows.length)
  const isMarkedWrong = ([, name, mark, messages = '']: readonly (string | undefined)[]) =>
    messages.split('; ').some((message) => codeOf(message) !== name) !== (mark !== undefined)
  expect(rows.filter(isMarkedWrong).map(([row]) => row)).toEqual([])
})
