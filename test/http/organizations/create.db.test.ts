import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

test('whoever creates an organization owns it, is in its first team, and acts for it', async () => {
  const ann = await t.signedIn('ann@example.com')
  const { user } = (await ann.api.sessions.getSession()) ?? {}
  const created = await ann.post('/organization/create', { name: 'Acme', slug: 'Acme', metadata: { plan: { seats: 5 } } })
  expect([created.status, created.json]).toEqual([
    200,
    {
      id: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      name: 'Acme',
      slug: 'acme',
      logo: null,
      metadata: { plan: { seats: 5 } },
      createdAt: expect.stringMatching(/Z$/),
      members: [
        {
          id: expect.any(String),
          organizationId: created.json['id'],
          userId: user?.id,
          role: 'owner',
          teamId: expect.any(String),
          createdAt: expect.stringMatching(/Z$/),
        },
      ],
    },
  ])
  const full = await ann.api.organizations.getFullOrganization()
  const [member] = full?.members ?? []
  expect(full?.teams).toEqual([expect.objectContaining({ id: member?.teamId, name: 'Acme', updatedAt: null })])
  expect(member?.user).toEqual({ id: user?.id, name: 'Ann Example', email: 'ann@example.com', image: null })
  const session = (await ann.api.sessions.getSession())?.session
  expect([session?.activeOrganizationId, session?.activeTeamId]).toEqual([created.json['id'], member?.teamId])
  expect((await ann.api.organizations.setActiveOrganization({ body: { organizationSlug: 'ACME' } }))?.id).toBe(created.json['id'])
  expect(await ann.api.organizations.listOrganizations()).toEqual([expect.objectContaining({ slug: 'acme', role: 'owner' })])
})
