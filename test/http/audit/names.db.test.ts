import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { statementsOf } from '../../support/statements.ts'
import { create, operator, userOf } from '../organizations/people.ts'
import { eventRow, insertEvents, withRole } from './people.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp({ config: { access: { roles: { reader: { permissions: ['events:read', 'sign-ins:read'] } } } } })
  await t.app.jobs.stop()
  admin = await withRole(t, 'admin')
})
afterAll(() => t.stop())

test('an event names its actor, subject, organization and the ids in its data, and deleted people appear by their id', async () => {
  const ann = await t.signedIn('ann@example.com', 'Ann Example')
  const bob = await t.signedIn('bob@example.com', 'Bob Example')
  const [{ id: annId }, { id: bobId }] = [await userOf(ann), await userOf(bob)]
  await t.verify('ann@example.com')
  const organizationId = await create(ann, 'acme')
  await t.app.core.transact((tx) => tx.knex('organization').where({ id: organizationId }).update({ name: 'Acme' }))
  const data = JSON.stringify({ clientId: 'unknown', fromUserId: bobId })
  await insertEvents(t, [
    eventRow(1, new Date(), {
      ...{ actor_id: annId, organization_id: organizationId, subject_id: bobId, impersonator_id: bobId, data },
      ...{ request_id: 'named' },
    }),
  ])
  await t.app.core.db.knex('event').where({ request_id: 'named' }).update({ subject_type: 'user' })
  const listed = () => admin.api.audit.listEvents({ query: { request: 'named' } })
  const before = (await listed()).events[0]
  const bobNamed = { kind: 'user', id: bobId, name: 'Bob Example' }
  expect(before).toMatchObject({
    ...{ actor: { kind: 'user', id: annId, name: 'Ann Example' }, subject: bobNamed, impersonator: bobNamed },
    organization: { kind: 'organization', id: organizationId, name: 'Acme' },
    mentions: [{ kind: 'client', id: 'unknown', name: null }, bobNamed],
  })
  expect(await admin.api.audit.getEvent({ params: { id: before?.id ?? '' } })).toEqual(before)
  await t.app.administration.remove(operator, bobId)
  expect((await listed()).events[0]?.subject).toEqual({ kind: 'user', id: bobId, name: null })
})

test('a reader of events who may not read people gets ids of people without names', async () => {
  const reader = await withRole(t, 'reader')
  const { events } = await reader.api.audit.listEvents({ query: { type: 'session.started', limit: 3 } })
  expect(events.length).toBeGreaterThan(0)
  for (const { actor, subject } of events) expect([actor.name, subject.name]).toEqual([null, null])
})

testOnBoth('the names on a page of events take as many statements for fifty people as for one', async () => {
  const now = new Date()
  const { knex } = t.app.core.db
  const { id } = await userOf(await t.signedIn('many@example.com', 'Many'))
  const row = await knex('user').where({ id }).first()
  const people = Array.from({ length: 50 }, (_, n) => `many-${n}`)
  await knex.batchInsert(
    'user',
    people.map((person, n) => ({ ...row, id: person, email: `many${n}@example.com`, name: `Many ${n}` })),
  )
  await insertEvents(
    t,
    people.map((id, n) => eventRow(100 + n, now, { type: 'user.updated', actor_id: id, subject_id: id, session_id: 'many' })),
  )
  const read = (limit: number) =>
    statementsOf(t, async () => {
      const { events } = await admin.api.audit.listEvents({ query: { session: 'many', limit } })
      expect(events).toHaveLength(limit)
      expect(events.every(({ actor }) => actor.name?.startsWith('Many '))).toBe(true)
    })
  expect((await read(50)).length).toBe((await read(1)).length)
})

/** Keys that name a row of a kind with known names. */
const ids = /(?:^|[a-z])(user|client|organization|customer|actor|impersonator|registrant)Id$|^(?:createdBy|impersonatedBy)$/i

/** Objects of an answer with such an id, but without a name or reference beside it or beside the list that contains them. */
const unnamed = (
  schema: z.core.JSONSchema.BaseSchema,
  defs: Readonly<Record<string, z.core.JSONSchema.BaseSchema>>,
): string[] => {
  const found: string[] = []
  const seen = new Set<string>()
  const withNames = Object.keys(defs).filter((name) => 'name' in ((defs[name]?.['properties'] as object | undefined) ?? {}))
  const named = new RegExp(`"name"|/(${withNames.join('|')})"`)
  const hasReferences = (property: unknown) =>
    (property as { readonly items?: { readonly $ref?: string } }).items?.$ref?.endsWith('/Named') === true
  const walk = (one: unknown, path: string, isNamedAbove = false): void => {
    if (typeof one !== 'object' || one === null) return
    const { $ref, properties } = one as { readonly $ref?: string; readonly properties?: Readonly<Record<string, unknown>> }
    if ($ref !== undefined) {
      if (!seen.has($ref)) seen.add($ref) && walk(defs[$ref.split('/').at(-1) ?? ''], path)
      return
    }
    if (properties !== undefined) {
      const names = Object.keys(properties)
      const isNamed = isNamedAbove || names.some((name) => /name$/i.test(name)) || named.test(JSON.stringify(properties))
      for (const name of names) {
        if (ids.test(name) && !isNamed) found.push(`${path}.${name}`)
        walk(properties[name], `${path}.${name}`, Object.values(properties).some(hasReferences))
      }
      return
    }
    for (const [key, value] of Object.entries(one)) if (key !== '$defs') walk(value, path, isNamedAbove)
  }
  walk(schema, '')
  return found
}

/** Answers whose reader has just named the row, or that only programs read. */
const answersWithoutNames: Readonly<Record<string, string>> = {
  adminListFactors: 'of the person in the path',
  adminGetMember: 'as the list of members',
  adminListIdentities: 'of the person in the path',
  adminListInvitations: 'of the organization in the path',
  customer: 'of the customer in the path',
  explainClaims: 'customers of the person in the query',
  explainEntitlements: 'customers of the organization in the query',
  drift: 'the owners stand beside the link',
  customerLink: 'of the customer in the path; the customer names its owner',
}

test('every administration list and resource that contains the id of a row also contains the name of the row', () => {
  const wrong = t.app.routes.flatMap(({ name, endpoint }) => {
    if (endpoint.method !== 'GET' || !endpoint.path.startsWith('/admin/') || !(endpoint.response instanceof z.ZodType)) return []
    if (answersWithoutNames[name] !== undefined) return []
    const schema = z.toJSONSchema(endpoint.response, { io: 'input', unrepresentable: 'any' })
    return unnamed(schema, schema.$defs ?? {}).map((path) => `${name}${path}`)
  })
  expect(wrong).toEqual([])
})
