import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { responseOf } from '../../../src/http/contract.ts'
import { type TestApp, testApp } from '../../support/app.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: object; readonly $ref?: string }>
  >
}
interface Document {
  readonly openapi: string
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

let t: TestApp
let document: Document
let etag = ''
beforeAll(async () => {
  t = await testApp()
  const response = await fetch(`${t.url}/openapi.json`)
  etag = response.headers.get('etag') ?? ''
  document = (await response.json()) as Document
})
afterAll(() => t.stop())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

test('the API document is served with an ETag, and a client that sends the ETag gets no body', async () => {
  const again = await fetch(`${t.url}/openapi.json`, { headers: { 'if-none-match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const head = await fetch(`${t.url}/openapi.json`, { method: 'HEAD' })
  expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(head.headers.get('cache-control')).toBe('no-cache')
  expect((await fetch(`${t.url}/openapi.json`, { method: 'POST' })).status).not.toBe(200)
})

test('the API document has every public endpoint of the server and no hidden endpoint', () => {
  const shown = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  const declared = (isHidden: boolean) =>
    t.app.routes
      .filter(({ endpoint }) => (endpoint.hidden === true) === isHidden)
      .map(({ endpoint: { method, path } }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect([...shown].sort()).toEqual([...new Set(declared(false))].sort())
  expect(declared(true).filter((hidden) => shown.includes(hidden))).toEqual([])
})

test('every operation of the API document has a unique id, a summary, a declared tag, its security, and error responses with codes', () => {
  const ids = operations().map(({ operation }) => operation.operationId)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  const tags = document.tags.map(({ name }) => name)
  for (const { path, method, operation } of operations()) {
    const where = `${method} ${path}`
    expect(operation.summary.length, where).toBeGreaterThan(5)
    expect(operation.tags.length, where).toBe(1)
    expect(tags, where).toContain(operation.tags[0])
    expect(operation.security, where).toBeInstanceOf(Array)
    for (const [status, { description, $ref }] of Object.entries(operation.responses))
      if (/^[45]/.test(status) && $ref === undefined) expect(description, where).toMatch(/^`\w+`: ./)
  }
})

test('every reference of the API document resolves, and every path parameter is declared', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
  expect(references.length).toBeGreaterThan(10)
  for (const [, kind = '', name = ''] of references) expect(document.components[kind]?.[name], name).toBeDefined()
  for (const { path, operation } of operations()) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    expect(declared.map(({ name }) => name).sort(), path).toEqual(inPath.sort())
    expect(
      declared.every(({ required }) => required === true),
      path,
    ).toBe(true)
  }
})

test('every example of the API document is valid under its own schema', () => {
  for (const { endpoint } of t.app.routes) {
    const { body, response } = endpoint.example ?? {}
    if (body !== undefined) expect(endpoint.body?.safeParse(body).error?.issues, endpoint.path).toBeUndefined()
    const declared = responseOf(endpoint)
    if (response !== undefined && declared.kind === 'json')
      expect(() => z.decode(declared.schema, response as never), endpoint.path).not.toThrow()
  }
})

const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((part, key) => (part as Readonly<Record<string, unknown>> | undefined)?.[key], value)
const schemaOfBody = (operation: string, ...keys: readonly string[]) => {
  const found = operations().find(({ operation: { operationId } }) => operationId === operation)?.operation
  return at(found, 'requestBody', 'content', 'application/json', 'schema', ...keys)
}

test('a JSON file response is documented with its content, and a response of any JSON value with an open schema', () => {
  expect(at(document.paths, '/download-user-data', 'get', 'responses', '200', 'content', 'application/json', 'schema')).toEqual({
    type: 'object',
    additionalProperties: {},
  })
  const { schemas } = document.components
  expect(Object.keys(schemas ?? {})).not.toContain('Json')
  expect(schemas?.['AnyValue']).toEqual({ description: 'Any JSON value.' })
})

test('email addresses, pictures and relative addresses are documented with the format that is enforced', () => {
  expect(schemaOfBody('signUpEmail', 'properties', 'email')).toMatchObject({ type: 'string', format: 'email' })
  expect(at(schemaOfBody('signUpEmail', 'properties', 'image', 'anyOf'), '0')).toMatchObject({ type: 'string', format: 'uri' })
  expect(schemaOfBody('signUpEmail', 'properties', 'callbackURL')).toMatchObject({ type: 'string', format: 'uri-reference' })
})

test('every call documents the errors of its input: a body that is too long, not JSON, or of another type, and an invalid path parameter', () => {
  const codes = (path: string, method: string, status: string) => document.paths[path]?.[method]?.responses[status]?.description
  expect(codes('/sign-up/email', 'post', '413')).toContain('`BODY_TOO_LARGE`')
  expect(codes('/sign-up/email', 'post', '400')).toContain('`INVALID_JSON`')
  expect(codes('/sign-up/email', 'post', '415')).toContain('`UNSUPPORTED_MEDIA_TYPE`')
  expect(codes('/webhooks/{endpoint}', 'post', '415')).toBeUndefined()
  expect(codes('/admin/users/{id}', 'get', '400')).toContain('`VALIDATION_ERROR`')
  expect(document.components['responses']?.['OtherError']).toMatchObject({ description: expect.stringContaining('431') })
})

test("the API document of an instance has the user fields and role names of the instance's configuration", async () => {
  const plan = { type: 'string', values: ['free', 'paid'], required: true }
  const note = { type: 'string', maxLength: 500, writableBy: 'operator' }
  const config = {
    users: { fields: { plan, born: { type: 'date' }, note, secret: { type: 'number', returned: false } } },
    accounts: { userNames: { mode: 'optional' } },
  }
  const own = await testApp({ config })
  try {
    const told = (await (await fetch(`${own.url}/openapi.json`)).json()) as Document
    const { User: user, AdministeredUser: administered } = told.components['schemas'] ?? {}
    for (const shown of [user, administered]) {
      expect(at(shown, 'properties')).toMatchObject({
        plan: { anyOf: [{ enum: ['free', 'paid'] }, { type: 'null' }] },
        born: { anyOf: [{ format: 'date-time' }, { type: 'null' }] },
        note: { anyOf: [{ type: 'string', maxLength: 500 }, { type: 'null' }] },
        username: { type: ['string', 'null'] },
        displayUsername: { type: ['string', 'null'] },
      })
      expect(Object.keys(at(shown, 'properties') as object)).not.toContain('secret')
    }
    const bodyOf = (path: string) => at(told.paths[path]?.['post'], 'requestBody', 'content', 'application/json', 'schema')
    expect(bodyOf('/sign-up/email')).toMatchObject({
      properties: {
        plan: { enum: ['free', 'paid'] },
        secret: { type: ['number', 'null'] },
        username: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: expect.arrayContaining(['plan', 'email']),
    })
    expect(Object.keys(at(bodyOf('/sign-up/email'), 'properties') as object)).not.toContain('note')
    expect(bodyOf('/update-user')).toMatchObject({ properties: { plan: { enum: ['free', 'paid'] } } })
    expect((at(bodyOf('/update-user'), 'required') as string[] | undefined) ?? []).not.toContain('plan')
    expect(Object.keys(at(document.components, 'schemas', 'User', 'properties') as object)).not.toContain('username')
  } finally {
    await own.stop()
  }
})

test('http.apiDocs switches the API document and its page off', async () => {
  const closed = await testApp({ config: { http: { apiDocs: false } } })
  try {
    for (const path of ['/openapi.json', '/docs']) expect((await fetch(closed.url + path)).status, path).toBe(404)
  } finally {
    await closed.stop()
  }
})
