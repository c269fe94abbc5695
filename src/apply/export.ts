import type { PermittedPrincipal } from '../access/principal.ts'
import { formatTree } from '../core/config-file.ts'
import type { Oidc } from '../oidc/index.ts'
import type { Settings } from '../settings/index.ts'
import type { RequiredAccess } from './calls/contract.ts'
import { applyErrors } from './contract.ts'
import { type Context, naming } from './kind.ts'
import { readAccess } from './rules/access.ts'
import {
  declarationSections,
  declaredApi,
  declaredClient,
  declaredOrganization,
  exportedLists,
  isDeclarable,
  kept,
  kindsOf,
  type Section,
} from './rules/exported.ts'

interface Options {
  readonly sections: readonly Section[]
  /** The `source` to write into the exported declaration. */
  readonly source: string
}

/** Exports the current state of an instance as a declaration that `apply` can read. */
export interface DeclarationExport {
  /**
   * Returns a declaration as YAML, without the values of secrets. Throws FORBIDDEN if the principal may not read a section, and
   * DECLARATION_DOES_NOT_FIT if a section has too many objects.
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

/**
 * How many objects a section can have at most. The limit exists because people read the declaration, and because one API call sends all
 * of it.
 */
const mostObjects = 1_000

/** Reads all rows of a paged list. */
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
    const rows = await all((after) => teams.list(id, exportedLists.teams.parse({ after })))
    return [...new Set(rows.map(({ name }) => name))].toSorted()
  }

  const readOrganizations = async (): Promise<Entries> => {
    if (within === undefined) return []
    const rows = await all((after) => within.administration.list(exportedLists.organizations.parse({ after })))
    const entries: (readonly [string, unknown])[] = []
    // Organizations are read one after another, so that the export leaves database connections for sign-ins.
    for (const { id } of rows) {
      const { slug, name, logo, metadata } = await within.administration.get(id)
      entries.push([slug, declaredOrganization({ name, logo, metadata, teams: await teamsOf(id) })])
    }
    return entries
  }

  const readClients = async (principal: PermittedPrincipal): Promise<Entries> => {
    if (oidc === undefined) return []
    const rows = await all(async (after) => {
      const { clients, next } = await oidc.applications.list(principal, exportedLists.clients.parse({ after }))
      return { rows: clients.filter(isDeclarable), next }
    })
    return rows.map((client) => [client.clientId, declaredClient({ ...client })])
  }

  const readApis = async (principal: PermittedPrincipal): Promise<Entries> => {
    if (oidc === undefined) return []
    const rows = await all(async (after) => {
      const { apis, next } = await oidc.apis.list(principal, exportedLists.apis.parse({ after }))
      return { rows: apis, next }
    })
    return rows.map((api) => [api.identifier, declaredApi({ ...api })])
  }

  const readEndpoints = async (): Promise<Entries> =>
    // If `createdAt` is null, the endpoint comes from the configuration and is not in the database, so it is not exported.
    ((await endpoints?.list()) ?? []).flatMap(({ name, createdAt }) => (createdAt === null ? [] : [[name, kept()]]))

  return {
    settings: readSettings,
    organizations: readOrganizations,
    clients: readClients,
    apis: readApis,
    webhookEndpoints: readEndpoints,
  } satisfies Readonly<Record<Section, (principal: PermittedPrincipal) => Promise<Entries>>>
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
        `# The declaration of ${url} for the command apply.`,
        '# No secret is in it: keepSecret leaves the one that is stored. For a new instance name another: secretFile or secretEnv.',
      ]
      return `${head.join('\n')}\n${formatTree(tree)}`
    },
  }
}
