import { z } from 'zod'
import { systemPrincipal } from '../access/principal.ts'
import type { Endpoints } from '../billing/index.ts'
import { type Check, defineFindings } from '../core/checks.ts'
import type { Tx } from '../core/db/database.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { createAccessCheck } from '../http/access.ts'
import type { Users } from '../identity/users/index.ts'
import type { Oidc } from '../oidc/index.ts'
import type { OrganizationsWithin } from '../organizations/index.ts'
import type { Settings } from '../settings/index.ts'
import { declarationRoutes } from './calls/routes.ts'
import { createApplyCommands } from './cli.ts'
import { applyErrors } from './contract.ts'
import { createDeclarationExport } from './export.ts'
import type { SettingsWithin } from './kind.ts'
import { readDeclaration } from './read.ts'
import { countOf } from './rules.ts'
import type { Applying } from './service.ts'
import { createApplying } from './service.ts'

const most = 20

const remedy = 'apply with the declaration puts it back; or declare it as it is now'
const findings = defineFindings({
  'declared-deleted': { message: '{kind} {key} was deleted, and {source} declares it', remedy },
  'declared-changed': { message: '{kind} {key} is otherwise than {source} declares it: {fields}', remedy },
  'declared-more': { message: '{count} more objects are otherwise than declared', remedy },
})

/** Finds objects that differ from their declaration. The next start of the daemon, or `apply`, restores the declared state. */
const createDriftCheck = ({ drift }: Pick<Applying, 'drift'>): Check => ({
  name: 'declarations',
  texts: findings.texts,
  run: async () => {
    const found = await drift()
    const named = found
      .slice(0, most)
      .map(({ kind, key, source, fields, isGone }) =>
        isGone
          ? findings.found('notice', 'declared-deleted', { kind, key, source })
          : findings.found('notice', 'declared-changed', { kind, key, source, fields: fields.join(', ') }),
      )
    const count = found.length - named.length
    return count <= 0 ? named : [...named, findings.found('notice', 'declared-more', { count })]
  },
})

const applyConfig = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Declaration of settings, applications, organizations and webhook endpoints (docs/how-to/apply.md) that is applied at each start, by one node at a ' +
          'time. A start that cannot apply it ends.',
      ),
  })
  .prefault({})
  .meta({ needsRestart: true })

type ApplyConfig = z.output<typeof applyConfig>

/** The features whose objects can be declared. Each of them may be switched off. */
interface Needs {
  readonly users: Users
  readonly oidc?: Pick<Oidc, 'within' | 'clients' | 'clientSecrets' | 'applications' | 'apis' | 'clientLogos' | 'sectors'>
  readonly billing?: { readonly endpoints: Endpoints; endpointsWithin(tx: Tx): Endpoints }
  readonly settings?: Settings
  readonly organizationsWithin?: (tx: Tx | undefined) => OrganizationsWithin | undefined
}

/** Outside of a transaction, a declaration's settings are only compared with the stored ones. */
const readOnly = ({ read, isSecret }: Pick<Settings, 'read' | 'isSecret'>): SettingsWithin => ({
  ...{ read, isSecret },
  change: () => Promise.reject(new Error('settings of a declaration are changed in a transaction')),
})

interface Config {
  readonly apply: ApplyConfig
  readonly sessions: { readonly freshAgeSeconds: number }
}

const build = (base: Base, config: Config, needs: Needs) => {
  const { random, log } = base
  const { file } = config.apply
  const { settings } = needs
  const applying = createApplying({
    ...base,
    ...{ clientLogos: needs.oidc?.clientLogos, sectors: needs.oidc?.sectors, settings, users: needs.users },
    requireAccess: createAccessCheck({ ...base, config }),
    contextOf: (tx) => ({
      oidc: tx === undefined ? needs.oidc : needs.oidc?.within(tx),
      organizations: needs.organizationsWithin?.(tx),
      settings:
        settings === undefined
          ? undefined
          : tx === undefined
            ? readOnly(settings)
            : { ...settings.within(tx), isSecret: settings.isSecret },
      endpoints: tx === undefined ? needs.billing?.endpoints : needs.billing?.endpointsWithin(tx),
    }),
  })
  const declarations = createDeclarationExport({
    ...{ url: base.url, settings, requireAccess: createAccessCheck({ ...base, config }) },
    context: {
      oidc: needs.oidc,
      organizations: needs.organizationsWithin?.(undefined),
      endpoints: needs.billing?.endpoints,
    },
  })
  return {
    api: { applying, declarations },
    checks: [createDriftCheck(applying)],
    routes: declarationRoutes(applying, declarations),
    // Applies the configured declaration when a node starts. If an earlier node has applied it, nothing changes. It deletes no objects,
    // because no operator is present to confirm that.
    prepare: async ({ isReload }) => {
      if (file === undefined || isReload) return
      const principal = systemPrincipal(random.requestId())
      const declaration = readDeclaration(file)
      const { changes } = await applying.apply(principal, declaration, { prune: false })
      const counts = { created: countOf(changes, 'create'), updated: countOf(changes, 'update'), kept: countOf(changes, 'kept') }
      log.info({ file, ...counts }, 'the declaration is applied')
      // The start does not wait for other servers. `doctor` reports logos that could not be fetched.
      void applying.fetchLogos(principal, declaration).then((problems) => {
        if (problems.length > 0) log.warn({ problems }, 'logos were not fetched')
      })
    },
  } satisfies Built
}

/** Applies files in which operators declare settings, organizations, applications, APIs and webhook endpoints. */
export const applyFeature = defineFeature({
  name: 'apply',
  config: { apply: applyConfig },
  errors: applyErrors.table,
  commands: [createApplyCommands(readDeclaration)],
  build,
})
