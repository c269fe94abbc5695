import { systemPrincipal } from '../access/principal.ts'
import type { Endpoints } from '../billing/index.ts'
import type { Tx } from '../core/db/database.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import type { Oidc } from '../oidc/index.ts'
import type { OrganizationsWithin } from '../organizations/index.ts'
import { createDriftCheck } from './check.ts'
import { createApplyCommands } from './cli.ts'
import { type ApplyConfig, applyConfig } from './config.ts'
import { applyErrors } from './errors.ts'
import { readDeclaration } from './read.ts'
import { countOf } from './rules.ts'
import { createApplying } from './service.ts'

/** What is declared belongs to features that may be switched off. */
interface Needs {
  readonly oidc?: Pick<Oidc, 'within' | 'clients' | 'clientSecrets' | 'applications'>
  readonly billing?: { readonly endpoints: Endpoints; endpointsWithin(tx: Tx): Endpoints }
  readonly organizationsWithin?: (tx: Tx | undefined) => OrganizationsWithin | undefined
}

const build = (base: Base, { apply: { file } }: { readonly apply: ApplyConfig }, needs: Needs) => {
  const { random, log } = base
  const applying = createApplying({
    ...base,
    contextOf: (tx) => ({
      oidc: tx === undefined ? needs.oidc : needs.oidc?.within(tx),
      organizations: needs.organizationsWithin?.(tx),
      endpoints: tx === undefined ? needs.billing?.endpoints : needs.billing?.endpointsWithin(tx),
    }),
  })
  return {
    api: { applying },
    checks: [createDriftCheck(applying)],
    // Whoever is second finds everything as it is declared. Nothing is deleted: nobody could be asked.
    prepare: async () => {
      if (file === undefined) return
      const changes = await applying.apply(systemPrincipal(random.requestId()), readDeclaration(file), { prune: false })
      const counts = { created: countOf(changes, 'create'), updated: countOf(changes, 'update'), kept: countOf(changes, 'kept') }
      log.info({ file, ...counts }, 'the declaration is applied')
    },
  } satisfies Built
}

/** Applications, organizations and webhook endpoints as files of operators declare them. */
export const applyFeature = defineFeature({
  name: 'apply',
  config: { apply: applyConfig },
  errors: applyErrors.table,
  commands: [createApplyCommands(readDeclaration)],
  build,
})
