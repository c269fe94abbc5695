import { z } from 'zod'
import type { Feature } from '../feature.ts'
import { type AskedField, Person } from './contract.ts'
import { userErrors } from './errors.ts'
import type { UserFields } from './fields.ts'
import type { FieldValues } from './rules.ts'
import { createUsers, type NewUser, type User, type Users, type Verified } from './service.ts'

export type { AskedField, FieldValues, NewUser, User, UserFields, Users, Verified }

interface JsonSchema {
  properties?: { fields?: unknown }
  required?: string[]
}

// Here and not in the contract, which every page loads.
z.globalRegistry.add(Person, {
  id: 'User',
  description: 'A user. Fields that `users.fields` adds stand beside these under their names.',
  // On the wire there is no such object.
  override: ({ jsonSchema }: { readonly jsonSchema: JsonSchema }) => {
    delete jsonSchema.properties?.fields
    jsonSchema.required = (jsonSchema.required ?? []).filter((name) => name !== 'fields')
  },
})

export const usersFeature = (deps: Parameters<typeof createUsers>[0]): Feature & { api: Users } => ({
  api: createUsers(deps),
  errors: userErrors.table,
})
