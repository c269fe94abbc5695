import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let ann: Client
let organizationId: string
let teamId: string
beforeAll(async () => {
  t = await testApp()
  ann = await t.signedIn('ann@example.com')
  organizationId = (await ann.api.organizations.createOrganization({ body: { name: 'Acme', slug: 'acme' } })).id
  teamId = (await ann.api.teams.createTeam({ body: { name: 'Doors', organizationId } })).id
})
afterAll(() => t.stop())

test.each([
  ['sign-up', '/sign-up/email', 'name', (name: string) => ({ name, email: 'new@example.com', password })],
  ['a change of profile', '/update-user', 'name', (name: string) => ({ name })],
  ['the first set-up', '/setup', 'name', (name: string) => ({ name, token: 'x', email: 'new@example.com', password })],
  ['a new organization', '/organization/create', 'name', (name: string) => ({ name, slug: 'other' })],
  ['an organization', '/organization/update', 'data.name', (name: string) => ({ organizationId, data: { name } })],
  ['a new team', '/organization/create-team', 'name', (name: string) => ({ name, organizationId })],
  ['a team', '/organization/update-team', 'data.name', (name: string) => ({ teamId, data: { name, organizationId } })],
])(
  '%s refuses a name with a line break, a direction override or only invisible characters, and names the field',
  async (_, path, field, bodyOf) => {
    for (const name of ['Acme\nurgent: click', 'Acme \u202egpj', ' \u200b ']) {
      const { status, json } = await ann.post(path, bodyOf(name))
      expect([status, json['code'], json['issues']]).toEqual([
        400,
        'VALIDATION_ERROR',
        [{ path: field, message: expect.stringMatching(/^must not/) }],
      ])
    }
  },
)
