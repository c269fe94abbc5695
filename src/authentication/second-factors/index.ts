import type { InstanceRoles } from '../../access/roles.ts'
import { type Base, defineFeature } from '../../feature.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { type SecondFactorConfig, secondFactorConfig } from './config.ts'
import { secondFactorErrors } from './errors.ts'
import { secondFactorEvents } from './events.ts'
import { createSecondFactors, type SecondFactors, type SecondFactorUser } from './service.ts'

export type { SecondFactors, SecondFactorUser }

interface Needs {
  readonly users: Users
  readonly sessions: Sessions
  readonly instanceRoles: InstanceRoles
}

export const secondFactorsFeature = defineFeature({
  name: 'second-factors',
  config: { secondFactor: secondFactorConfig },
  errors: secondFactorErrors.table,
  events: secondFactorEvents,
  build: (base: Base, { secondFactor: config }: { readonly secondFactor: SecondFactorConfig }, needs: Needs) => {
    const secondFactors = createSecondFactors({ ...base, ...needs, config, registered: base.secondFactors })
    return { api: { secondFactors }, prepare: secondFactors.applyConfiguration }
  },
})
