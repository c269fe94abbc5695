/** An operator's program with the client that `openapi-client.db.test.ts` generates: compiled with it, and run. */
import * as api from './api.ts'

api.defaults.baseUrl = process.env['GATEHOUSE_URL'] ?? ''
api.defaults.headers = { authorization: `Bearer ${process.env['GATEHOUSE_API_KEY'] ?? ''}` }

const emails: string[] = []
let after: string | undefined
do {
  const page = await api.adminListUsers({ sort: 'email', order: 'asc', limit: 1, ...(after === undefined ? {} : { after }) })
  if (page.status !== 200) throw new Error(`users: ${page.status}`)
  const { users, next } = page.data as Extract<typeof page, { status: 200 }>['data']
  emails.push(...users.map(({ email }) => email))
  after = next ?? undefined
} while (after !== undefined)

const created = await api.adminCreateOrganization({ name: 'Example', slug: 'example', metadata: { plan: { seats: [1, 2] } } })
if (created.status !== 200) throw new Error(`organization: ${created.status}`)
const organization = created.data as Extract<typeof created, { status: 200 }>['data']

const seen = await api.adminGetOrganization(organization.id)
const ifMatch = seen.headers.get('etag') ?? ''
const renamed = await api.adminPatchOrganization(organization.id, { name: 'Renamed' }, { ifMatch })
const late = await api.adminPatchOrganization(organization.id, { name: 'Too late' }, { ifMatch })

const codeOf = (response: { readonly status: number; readonly data: object }) =>
  response.status === 200 ? 'none' : (response.data as api.Error).code
const missing = await api.adminGetUser('nobody')
const twice = await api.adminCreateOrganization({ name: 'Example', slug: 'example' })
const exported = await api.exportEvents({ $type: 'organization.created', format: 'csv' })

process.stdout.write(
  JSON.stringify({
    emails,
    metadata: organization.metadata,
    renamed: [renamed.status, codeOf(renamed)],
    late: [late.status, codeOf(late)],
    missing: [missing.status, codeOf(missing)],
    twice: [twice.status, codeOf(twice)],
    exported: [exported.status, typeof exported.data === 'string' ? exported.data.trim().split('\n').length : 0],
  }),
)
