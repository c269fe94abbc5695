import type { Feature } from '../feature.ts'
import { userErrors } from './errors.ts'
import { createUsers, type NewUser, type User, type Users, type Verified } from './service.ts'

export type { NewUser, User, Users, Verified }

export const usersFeature = (deps: Parameters<typeof createUsers>[0]): Feature & { api: Users } => ({
  api: createUsers(deps),
  errors: userErrors.table,
})
