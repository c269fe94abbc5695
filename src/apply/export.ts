import { isDeepStrictEqual } from 'node:util'
import type { PermittedPrincipal } from '../access/principal.ts'
import { formatTree } from '../core/config-file.ts'
import { applicationContract } from '../oidc/clients/contract.ts'
import { commandLineId } from '../oidc/contract.ts'
import type { Oidc } from '../oidc/index.ts'
import { newFurther } from '../oidc/metadata/contract.ts'
import { apiContract } from '../oidc/resource-servers/contract.ts'
import { organizationAdministrationContract } from '../organizations/administration/contract.ts'
import { teamAdministrationContract } from '../organizations/teams/contract.ts'
import type { Settings } from '../settings/index.ts'
import type { RequiredAccess } from './calls/contract.ts'
import { applyErrors, DeclaredApi, DeclaredClient, declarationSections, type ObjectKind } from './contract.ts'
import { type Context, naming } from './kind.ts'
import { readAccess } from './rules/access.ts'

export type Section = (typeof declarationSections)[number]

interface Options {
  readonly sections: readonly Section[]
  /** The name that the declaration gives itself. */
  readonly source: string
}

/** The declaration that `apply` reads, of an instance as it is. */
export interface DeclarationExport {
  /**
   * The text, in YAML and without a secret. Throws FORBIDDEN where the principal may not read a section, and DECLARATION_DOES_NOT_FIT for a section that is
   * too long for a declaration.
   */
  export(principal: PermittedPrincipal, options: Options): Promise<string>
}

interface Deps {
  readonly url: string
  readonly context: { readonly oidc: Pick<Oidc, 'applications' | 'apis'> | undefined } & Pick<
    Context,
    'organizations' | 'endpoints'
  >
  readonly settings: Pick<Settings, 'list' | 'read' | 'isSecret'> | undefined
  requireAccess(access: RequiredAccess, principal: PermittedPrincipal): void
}

/** Objects of one section: a declaration is read by people, and travels in one call. */
const mostObjects = 1_000

/** All rows of a list that comes page by page. */
const all = async <Row>(
  page: (after: string | undefined) => Promise<{ readonly rows: readonly Row[]; readonly next: string | null }>,
): Promise<readonly Row[]> => {
  const rows: Row[] = []
  let after: string | undefined
  do {
    const found = await page(after)
    rows.push(...found.rows)
    after = found.next ?? undefined
    if (rows.length > mostObjects)
      throw applyErrors.error('DECLARATION_DOES_NOT_FIT', {
        message: `there are more than ${mostObjects}: export the other sections (--section)`,
      })
  } while (after !== undefined)
  return rows
}

type Entries = readonly (readonly [key: string, object: unknown])[]
type Fields = Readonly<Record<string, unknown>>

/** Where a secret is: it stays as it is. Each place has an object of its own, since YAML would name one. */
const kept = () => ({ keepSecret: true }) as const

/** The fields of an object that are otherwise than where a declaration does not say them. */
const said = (names: readonly string[], object: Fields, unsaid: Fields): Fields =>
  Object.fromEntries(
    names.flatMap((name) => (isDeepStrictEqual(object[name] ?? null, unsaid[name] ?? null) ? [] : [[name, object[name]]])),
  )

const clientNames = Object.keys(DeclaredClient.shape).filter((name) => !/^(secret|keepSecret|name$)/.test(name))
const unsaidOfClient: Fields = { ...newFurther, disabled: false, review: null, ...DeclaredClient.parse({ name: 'unsaid' }) }
const apiNames = Object.keys(DeclaredApi.shape).filter((name) => name !== 'name')
const unsaidOfApi: Fields = DeclaredApi.parse({ name: 'unsaid' })

const createReaders = ({ context, settings }: Pick<Deps, 'context' | 'settings'>) => {
  const { oidc, organizations: within, endpoints } = context

  const readSettings = async (): Promise<Entries> => {
    if (settings === undefined) return []
    const locked = new Set((await settings.list()).settings.flatMap(({ key, isLocked }) => (isLocked ? [key] : [])))
    const stored = (await settings.read()).settings.filter(({ key }) => !locked.has(key))
    return stored.map(({ key, value }) => [key, settings.isSecret(key) ? kept() : value])
  }

  const teamsOf = async (id: string): Promise<readonly string[]> => {
    const teams = within?.teams
    if (teams === undefined) return []
    const { query } = teamAdministrationContract.adminListTeams
    const rows = await all((after) => teams.list(id, query.parse({ after })))
    return [...new Set(rows.map(({ name }) => name))].toSorted()
  }

  const readOrganizations = async (): Promise<Entries> => {
    if (within === undefined) return []
    const { query } = organizationAdministrationContract.adminListOrganizations
    const rows = await all((after) => within.administration.list(query.parse({ after })))
    return Promise.all(
      rows.map(async ({ id }) => {
        const { slug, name, logo, metadata } = await within.administration.get(id)
        const teams = await teamsOf(id)
        return [
          slug,
          said(['name', 'logo', 'metadata', 'teams'], { name, logo, metadata, teams }, { logo: null, metadata: null, teams: [] }),
        ] as const
      }),
    )
  }

  const readClients = async (principal: PermittedPrincipal): Promise<Entries> => {
    if (oidc === undefined) return []
    const { query } = applicationContract.listApplications
    const rows = await all(async (after) => {
      const { clients, next } = await oidc.applications.list(principal, query.parse({ after }))
      // Others registered themselves, or belong to gatehouse: they are not the operator's to declare.
      const ofOperator = clients.filter(
        ({ registeredBy, clientId }) => registeredBy === 'administrator' && clientId !== commandLineId,
      )
      return { rows: ofOperator, next }
    })
    return rows.map((client) => {
      const hasSecret = /^(web|machine)$/.test(client.type) && client.authMethod !== 'private_key_jwt'
      const fields = { name: client.name, ...said(clientNames, { ...client }, unsaidOfClient) }
      return [client.clientId, { ...fields, ...(hasSecret ? kept() : {}) }]
    })
  }

  const readApis = async (principal: PermittedPrincipal): Promise<Entries> => {
    if (oidc === undefined) return []
    const { query } = apiContract.listApis
    const rows = await all(async (after) => {
      const { apis, next } = await oidc.apis.list(principal, query.parse({ after }))
      return { rows: apis, next }
    })
    return rows.map((api) => [api.identifier, { name: api.name, ...said(apiNames, { ...api }, unsaidOfApi) }])
  }

  const readEndpoints = async (): Promise<Entries> =>
    // What the configuration alone has is not in the database.
    ((await endpoints?.list()) ?? []).flatMap(({ name, createdAt }) => (createdAt === null ? [] : [[name, kept()]]))

  return {
    settings: readSettings,
    organizations: readOrganizations,
    clients: readClients,
    apis: readApis,
    webhookEndpoints: readEndpoints,
  } satisfies Readonly<Record<Section, (principal: PermittedPrincipal) => Promise<Entries>>>
}

const kindsOf: Readonly<Record<Section, readonly ObjectKind[]>> = {
  ...{ settings: ['setting'], organizations: ['organization', 'team'] },
  ...{ clients: ['client'], apis: ['api'], webhookEndpoints: ['endpoint'] },
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

export const createDeclarationExport = (deps: Deps): DeclarationExport => {
  const { url, requireAccess } = deps
  const readers = createReaders(deps)
  return {
    export: async (principal, { sections, source }) => {
      const read = async (section: Section) =>
        naming(section, async () => {
          for (const kind of kindsOf[section]) requireAccess(readAccess(kind), principal)
          return readers[section](principal)
        })
      const tree: Record<string, unknown> = { source }
      for (const section of declarationSections) {
        if (!sections.includes(section)) continue
        const entries = await read(section)
        if (entries.length > 0) tree[section] = Object.fromEntries(entries.toSorted(byKey))
      }
      const head = [
        `# What gatehouse apply makes, as it is at ${url}.`,
        '# No secret is in it: keepSecret leaves the one that is stored. For a new instance name another: secretFile or secretEnv.',
      ]
      return `${head.join('\n')}\n${formatTree(tree)}`
    },
  }
}
