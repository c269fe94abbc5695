import { z } from 'zod'
import { type Base, defineFeature } from '../../feature.ts'
import type { RoleDirectory } from '../roles/index.ts'
import { userCommands } from './administration/cli.ts'
import { AdministeredPerson } from './administration/contract.ts'
import { userAdministrationRoutes } from './administration/routes.ts'
import { createUserAdministration, type UserAdministration } from './administration/service.ts'
import { userClaims } from './claims.ts'
import { type UsersConfig, usersConfig } from './config.ts'
import { Person, type WritableField } from './contract.ts'
import { userErrors } from './errors.ts'
import { userEvents } from './events.ts'
import type { UserFields } from './fields.ts'
import { profileRoutes } from './profile/routes.ts'
import type { FieldValues } from './rules.ts'
import { createUsers, type NewUser, type User, type Users } from './service.ts'

export type { FieldValues, NewUser, User, UserAdministration, UserFields, Users, WritableField }

interface JsonSchema {
  properties?: { fields?: unknown }
  required?: string[]
}

/** On the wire there is no such object. */
const withoutFields = ({ jsonSchema }: { readonly jsonSchema: JsonSchema }) => {
  delete jsonSchema.properties?.fields
  jsonSchema.required = (jsonSchema.required ?? []).filter((name) => name !== 'fields')
}

// Here and not in the contract, which every page loads.
z.globalRegistry.add(Person, {
  id: 'User',
  description: 'A user. Fields that `users.fields` adds stand beside these under their names.',
  override: withoutFields,
})
z.globalRegistry.add(AdministeredPerson, {
  id: 'AdministeredUser',
  description: 'A user as administrators see them. Fields that `users.fields` adds stand beside these under their names.',
  override: withoutFields,
})

export const usersFeature = defineFeature({
  name: 'users',
  config: { users: usersConfig },
  errors: userErrors.table,
  events: userEvents,
  commands: [userCommands],
  build: (
    base: Base,
    { users: config }: { readonly users: UsersConfig },
    { instanceRoles }: { readonly instanceRoles: RoleDirectory },
  ) => {
    const users = createUsers({ ...base, config, instanceRoles })
    /** A role that was taken out of the configuration is easily forgotten in the database. */
    const prepare = async () => {
      for (const role of await users.unknownRoles(base.db))
        base.log.warn({ role }, 'users have a role that access.roles does not know: it gives them nothing')
    }
    const administration = createUserAdministration({ ...base, users, instanceRoles })
    return {
      api: { users, userAdministration: administration },
      routes: [...profileRoutes(users), ...userAdministrationRoutes(administration)],
      claims: userClaims,
      prepare,
    }
  },
})
