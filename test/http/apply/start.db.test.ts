import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { stringify } from 'yaml'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

let t: TestApp
let file: string
beforeAll(async () => {
  t = await testApp()
  const folder = join(t.database.dataDir, 'declarations')
  mkdirSync(folder, { recursive: true })
  file = join(folder, 'apply.yaml')
})
afterAll(() => t.stop())

const principal = systemPrincipal('test')
const write = (content: unknown) => writeFileSync(file, stringify(content))
const started = () => t.node({ apply: { file } })

testOnBoth('nodes that start at once apply the declaration of the configuration once', async () => {
  write({
    clients: { started: { name: 'Started', type: 'spa', redirectUris: ['https://app.example.com/cb'] } },
    organizations: { started: { name: 'Started', teams: ['Sales'] } },
  })
  const nodes = await Promise.all([started(), started(), started()])
  for (const node of nodes) await node.stop()
  const { knex } = t.app.core.db
  expect(await knex('event').where({ type: 'client.created' })).toHaveLength(1)
  expect(await knex('organization').where({ slug: 'started' })).toHaveLength(1)
  expect(await knex('team').where({ name: 'Sales' })).toHaveLength(1)
})

test('each start reverts changes to declared objects, and deletes nothing', async () => {
  write({ clients: { started: { name: 'Started', type: 'spa', redirectUris: ['https://app.example.com/cb'] } } })
  await t.app.oidc.applications.update(principal, 'started', { name: 'By hand' })
  const node = await started()
  await node.stop()
  expect((await t.app.oidc.applications.get(principal, 'started')).name).toBe('Started')
  expect(await t.app.organizations.require('started')).toMatchObject({ name: 'Started' })
})

test('a declaration that cannot be applied stops the start, and the message names its configuration key', async () => {
  write({ clients: { started: { name: 'Started', type: 'spa', redirectUris: ['nowhere'] } } })
  await expect(started()).rejects.toMatchObject({
    code: 'INVALID_REDIRECT_URI',
    message: expect.stringMatching(/^clients\.started: Invalid redirect URI: nowhere/),
  })
})

test('while organizations are off a declared organization is not drift, and a declaration with an organization is refused with a message', async () => {
  const node = await t.node({ organizations: { enabled: false } })
  expect(await node.app.applying.drift()).toEqual([])
  const declaration = {
    ...{ source: 'off', isNamedByPath: false },
    organizations: { off: { name: 'Off', teams: [], firstOwners: [], logo: null } },
    settings: {},
    clients: {},
    apis: {},
    webhookEndpoints: {},
  }
  await expect(node.app.applying.apply(principal, declaration, { prune: false })).rejects.toMatchObject({
    code: 'DECLARATION_DOES_NOT_FIT',
    message: 'organizations.off: organizations.enabled is off in the configuration',
  })
  await node.stop()
})
