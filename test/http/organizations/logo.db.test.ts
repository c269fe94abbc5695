import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { bombOf, imageOf, svgOf } from '../../support/images.ts'
import { createKey } from '../api-keys/keys.ts'
import { joined, owner } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const path = (organizationId?: string) =>
  organizationId === undefined ? '/organization/logo' : `/organization/logo?${new URLSearchParams({ organizationId })}`
const send = (client: Pick<Client, 'request'>, bytes: Buffer, organizationId?: string, headers: Record<string, string> = {}) =>
  client.request(path(organizationId), {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', origin: t.url, ...headers },
    body: new Uint8Array(bytes),
  })
const remove = (client: Pick<Client, 'request'>, organizationId?: string) =>
  client.request(path(organizationId), { method: 'DELETE', headers: { origin: t.url } })
const outcome = async (answer: Promise<{ status: number; json: Record<string, unknown> }>) => {
  const { status, json } = await answer
  return [status, json['code']]
}
const logoNow = async (client: Client, organizationId: string) =>
  (await client.api.organizations.getOrganization({ query: { organizationId } }))?.logo

test("an uploaded logo becomes a square that shows the whole image, is served by this server, and its URL is the organization's logo", async () => {
  const { client, organizationId } = await owner(t, 'ann@example.com', 'acme')
  const { status, json } = await send(client, await imageOf({ width: 300, height: 30 }), organizationId)
  expect([status, json['id']]).toEqual([200, organizationId])
  expect(json['logo']).toMatch(new RegExp(`^${t.url}/images/\\w{32}$`))
  expect(await logoNow(client, organizationId)).toBe(json['logo'])
  const served = await fetch(String(json['logo']))
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png'])
  const [row] = await t.app.core.db.knex('image').where({ owner_id: organizationId })
  expect([Number(row.width), Number(row.height)]).toEqual([512, 512])
  const [event] = await t.app.core.db.knex('event').where({ subject_id: organizationId, type: 'organization.updated' })
  expect(JSON.parse(event.data)).toMatchObject({ fields: ['logo'] })

  // The organization is active in the session, so the call does not have to name it.
  const second = await send(client, await imageOf({ color: 'red' }))
  expect(second.json['logo']).not.toBe(json['logo'])
  expect((await fetch(String(json['logo']))).status).toBe(404)
})

test('a logo that was removed, or replaced by an external URL, is no longer served', async () => {
  const { client, organizationId } = await owner(t, 'bob@example.com', 'bobs')
  const first = String((await send(client, await imageOf(), organizationId)).json['logo'])
  expect((await remove(client, organizationId)).json['logo']).toBeNull()
  expect((await fetch(first)).status).toBe(404)
  const second = String((await send(client, await imageOf(), organizationId)).json['logo'])
  // A change of only the name, as the pages send it, keeps the logo.
  await client.api.organizations.updateOrganization({ body: { data: { name: 'Bobs' }, organizationId } })
  expect((await fetch(second)).status).toBe(200)
  const logo = 'https://pictures.example/bob.png'
  const changed = await client.api.organizations.updateOrganization({ body: { data: { logo }, organizationId } })
  expect(changed.logo).toBe(logo)
  expect((await fetch(second)).status).toBe(404)
})

test('the documented curl command uploads a logo', async () => {
  const { client, organizationId } = await owner(t, 'ina@example.com', 'inas')
  const { key } = await createKey(client, { organizationId, permissions: ['organization:update'] })
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-curl-'))
  writeFileSync(join(directory, 'acme.png'), await imageOf())
  const document = readFileSync(fileURLToPath(new URL('../../../docs/how-to/brand.md', import.meta.url)), 'utf8')
  const example = /```[^\n]*\n(curl -X PUT [^`]*organization\/logo[^`]*)```/.exec(document)?.[1] ?? ''
  const { stdout } = await promisify(execFile)('sh', ['-c', example.replace('https://id.example.com', t.url)], {
    cwd: directory,
    env: { ...process.env, ORGANIZATION: organizationId, API_KEY: key },
  })
  rmSync(directory, { recursive: true })
  expect(JSON.parse(stdout)).toMatchObject({ id: organizationId, logo: expect.stringContaining('/images/') })
})

test('the logo of a deleted organization is deleted', async () => {
  const { client, organizationId } = await owner(t, 'eve@example.com', 'eves')
  const address = String((await send(client, await imageOf(), organizationId)).json['logo'])
  await client.api.organizations.deleteOrganization({ body: { organizationId } })
  expect((await fetch(address)).status).toBe(404)
})

test('only a member with the permission changes the logo: no owner of another organization, plain member, other site or anonymous caller', async () => {
  const { client, organizationId } = await owner(t, 'ann2@example.com', 'acme2')
  const { client: stranger } = await owner(t, 'mallory@example.com', 'mallorys')
  const { client: member } = await joined(t, organizationId, 'member@example.com')
  const logo = String((await send(client, await imageOf(), organizationId)).json['logo'])
  const picture = await imageOf({ color: 'red' })
  const foreign = [400, 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION']
  expect(await outcome(send(stranger, picture, organizationId))).toEqual(foreign)
  expect(await outcome(send(stranger, picture, 'no-such-organization'))).toEqual(foreign)
  expect(await outcome(remove(stranger, organizationId))).toEqual(foreign)
  const plain = [403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION']
  expect(await outcome(send(member, picture, organizationId))).toEqual(plain)
  expect(await outcome(remove(member, organizationId))).toEqual(plain)
  expect(await outcome(send(client, picture, organizationId, { origin: 'https://evil.example' }))).toEqual([
    403,
    'INVALID_ORIGIN',
  ])
  expect(await outcome(send(t.client(), picture, organizationId))).toEqual([401, 'UNAUTHORIZED'])
  expect(await logoNow(client, organizationId)).toBe(logo)
  expect((await fetch(logo)).status).toBe(200)
})

test('a logo file that is too large or not a bitmap is refused and changes nothing', async () => {
  const { client, organizationId } = await owner(t, 'ann3@example.com', 'acme3')
  for (const bytes of [svgOf('<rect/>'), Buffer.from('<p>no picture at all</p>'), bombOf(60_000, 60_000)])
    expect(await outcome(send(client, bytes, organizationId))).toEqual([400, 'INVALID_IMAGE'])
  expect(await outcome(send(client, Buffer.alloc(5_000_001), organizationId))).toEqual([413, 'BODY_TOO_LARGE'])
  expect(await logoNow(client, organizationId)).toBeNull()
})
