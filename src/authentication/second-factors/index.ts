import { createInstanceRoles, type InstanceRoles, type RoleConfig } from '../../access/roles.ts'
import { reactTo } from '../../core/events/record.ts'
import { type Base, defineFeature } from '../../feature.ts'
import { userEvents } from '../../identity/users/contract.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { secondFactorCheck } from './checks.ts'
import { type SecondFactorConfig, secondFactorConfig, secondFactorErrors, secondFactorEvents } from './contract.ts'
import {
  createSecondFactors,
  type ListedFactor,
  type Requirement,
  type SecondFactorFacts,
  type SecondFactors,
  type SecondFactorUser,
} from './service.ts'

export type { ListedFactor, Requirement, SecondFactorFacts, SecondFactors, SecondFactorUser }

interface Needs {
  readonly users: Users
  readonly sessions: Sessions
  readonly instanceRoles: InstanceRoles
}

interface CheckedConfig {
  readonly secondFactor: SecondFactorConfig
  readonly access: { readonly roles: Readonly<Record<string, RoleConfig>> }
}

export const secondFactorsFeature = defineFeature({
  name: 'second-factors',
  config: { secondFactor: secondFactorConfig },
  check: ({ secondFactor: { requiredFor }, access }: CheckedConfig, fail) => {
    if (requiredFor === 'auto') return
    const { isKnownRole, all } = createInstanceRoles(access.roles)
    const unknown = requiredFor.filter((name) => !isKnownRole(name))
    const known = all.map(({ name }) => name).join(', ')
    if (unknown.length > 0)
      fail(['secondFactor', 'requiredFor'], `expected auto or roles of the instance (${known}); ${unknown.join(', ')} is none`)
  },
  errors: secondFactorErrors.table,
  events: secondFactorEvents,
  build: (base: Base, { secondFactor: config }: { readonly secondFactor: SecondFactorConfig }, needs: Needs) => {
    const secondFactors = createSecondFactors({ ...base, ...needs, config, registered: base.secondFactors })
    return {
      api: { secondFactors },
      reactions: [
        reactTo(userEvents['user.role_changed'], (tx, { subjectId }, { actor }) =>
          secondFactors.roleChanged(tx, actor, subjectId),
        ),
      ],
      guards: {
        locksOut: async (db, userId) => {
          const user = await needs.users.require(db, userId)
          return (await secondFactors.isNeeded(db, user)) && (await secondFactors.enrolled(db, user)).length === 0
        },
      },
      checks: [secondFactorCheck({ ...base, ...needs })],
      setupSteps: [
        {
          name: 'second-factor',
          keys: ['secondFactor.requiredFor'],
          look: async () => ({ isDone: await secondFactors.isRequiredOfAdministrators(base.db) }),
        },
      ],
      prepare: secondFactors.applyConfiguration,
    }
  },
})
