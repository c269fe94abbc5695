import type { Clock } from '../core/clock.ts'
import type { Entropy } from '../core/entropy.ts'
import type { Feature } from '../feature.ts'
import { userErrors } from './errors.ts'
import { createUsers, type NewUser, type User, type Users } from './service.ts'

export type { NewUser, User, Users }

export const usersFeature = (deps: { clock: Clock; entropy: Entropy }): Feature & { api: Users } => ({
  api: createUsers(deps),
  errors: userErrors.table,
})
