/** Every list answers a broken cursor or filter with an error of the caller, on both databases. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { create, userOf } from '../organizations/people.ts'

let t: TestApp
let admin: Client
let ids: Readonly<Record<'user' | 'organization', string>>
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
  ids = { user: (await userOf(admin)).id, organization: await create(admin, 'acme') }
})
afterAll(() => t.stop())

const shapeOf = (schema: unknown): Readonly<Record<string, z.ZodType>> =>
  (schema as { readonly shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {}
const sortsOf = (schema: z.ZodType | undefined): readonly string[] => {
  const inner = (schema as { def?: { innerType?: { options?: readonly string[] } } } | undefined)?.def?.innerType
  return inner?.options ?? []
}

const lists = () =>
  t.app.routes.flatMap(({ endpoint: { method, path, query } }) => {
    const shape = shapeOf(query)
    const sorts = sortsOf(shape['sort'])
    const isOfOrganization = path.startsWith('/admin/organizations/')
    const filled = path.replaceAll(/:\w+/g, isOfOrganization ? ids.organization : ids.user)
    return method === 'GET' && sorts.length > 0 && 'after' in shape ? [{ path: filled, shape, sorts }] : []
  })

/** Values that no row has: other types, and times that a database or JavaScript cannot represent. */
const values = [-8.64e15, 8.64e15, 1e300, -62_135_596_800_001, 253_402_300_800_000, 0.5, 'x', '', '\u{10ffff}']

test('every list refuses a cursor of an impossible position, or finds no rows', async () => {
  expect(lists().length).toBeGreaterThan(10)
  const failed: unknown[] = []
  for (const { path, sorts } of lists())
    for (const sort of sorts)
      for (const value of values) {
        const after = Buffer.from(JSON.stringify([sort, 'asc', value, 'id'])).toString('base64url')
        const { status } = await admin.request(`${path}?${new URLSearchParams({ sort, order: 'asc', after })}`)
        if (status !== 200 && status !== 400) failed.push([path, sort, value, status])
      }
  expect(failed).toEqual([])
})

test('every list refuses a filter with text that the database cannot store', async () => {
  const failed: unknown[] = []
  for (const { path, shape } of lists())
    for (const name of Object.keys(shape))
      for (const text of ['a\u0000b', 'a'.repeat(3000)]) {
        const { status } = await admin.request(`${path}?${new URLSearchParams({ [name]: text })}`)
        if (status !== 400) failed.push([path, name, text.slice(0, 3), status])
      }
  expect(failed).toEqual([])
})
