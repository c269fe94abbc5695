import type { Social } from '../authentication/methods/federated/index.ts'
import type { BrandService } from '../brand/index.ts'
import type { TextsConfig } from '../core/own-texts.ts'
import { checkPageTexts, readPageTexts } from '../core/page-texts.ts'
import { periodic } from '../core/queue.ts'
import { type Base, defineFeature } from '../feature.ts'
import type { Users } from '../identity/users/index.ts'
import type { Oidc } from '../oidc/index.ts'
import type { Tally } from '../statistics/index.ts'
import { healthCommands } from './cli.ts'
import { healthContract, healthErrors } from './contract.ts'
import { type AddressProblem, createAddressProblem } from './diagnosis/address-problem.ts'
import { type CheckedSettings, instanceChecks, unreadableAddress } from './diagnosis/checks.ts'
import { healthAdminRoutes } from './diagnosis/routes.ts'
import { createDiagnosis } from './diagnosis/service.ts'
import { waysInCheck } from './diagnosis/ways-in.ts'
import { pageErrorRoutes } from './page-errors/routes.ts'
import { createPageErrors } from './page-errors/service.ts'
import { type HostedSettings, healthRoutes, pageSettings } from './routes.ts'
import { createHealth, type Health } from './service.ts'
import { createWriteProbe } from './write-probe.ts'

export { configWarnings } from './warnings.ts'
export type { AddressProblem, Health }

/** How often the findings are stored, in seconds. */
const noteSeconds = 300

type Config = HostedSettings & CheckedSettings & TextsConfig

interface Needs {
  readonly brand: BrandService
  readonly users: Users
  readonly oidc: Oidc
  readonly social?: Social
  readonly tally?: Tally
}

export const healthFeature = defineFeature({
  name: 'health',
  check: checkPageTexts,
  errors: healthErrors.table,
  commands: [healthCommands],
  build: (base: Base, config: Config, { brand, users, oidc, social, tally }: Needs) => {
    const health = createHealth({
      ...base,
      isSigningKeyPresent: oidc.isSigningKeyPresent,
      writeFailure: createWriteProbe(base),
    })
    const texts = readPageTexts(config)
    const addressProblem = createAddressProblem(base.clock)
    const ofDaemon = [{ check: 'proxies', ...unreadableAddress(config) }]
    const diagnosis = createDiagnosis({ ...base, health, ofDaemon, checks: base.checks })
    const pageErrors = createPageErrors({ ...base, tally })
    const settings = pageSettings(brand, config, social?.listProviders() ?? [], users.fields.writable)
    /** The settings for the pages. Fields that are not in the contract are removed. */
    const written = () => healthContract.settings.response.parse(settings())
    return {
      drain: health.drain,
      api: { health, diagnosis, addressProblem, pageSettings: written, pageTexts: texts },
      checks: [...instanceChecks({ ...base, config, addressProblem }), waysInCheck(settings), pageErrors.check],
      tasks: [periodic('health.findings', noteSeconds, () => diagnosis.note())],
      routes: [...healthRoutes(health, settings, texts), ...healthAdminRoutes(diagnosis), ...pageErrorRoutes(pageErrors)],
    }
  },
})
