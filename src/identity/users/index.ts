import { z } from 'zod'
import type { PersonalData } from '../../core/personal-data.ts'
import { type Base, defineFeature } from '../../feature.ts'
import type { RoleDirectory } from '../roles/index.ts'
import { createUserSchemas } from './api-schemas.ts'
import { createUserClaims } from './claims.ts'
import { userCommands } from './cli.ts'
import { type UsersConfig, usersConfig } from './config.ts'
import { AdministeredPerson, Person, userErrors, userEvents, userShapes, type WritableField } from './contract.ts'
import type { UserFields } from './fields.ts'
import { createManagedUsers, type ManagedUsers } from './managed.ts'
import { type UserNamesConfig, userNameSettings } from './names/config.ts'
import { userNameRoutes } from './names/routes.ts'
import { createUserNames, type StoredName, type UserNames } from './names/service.ts'
import { profileRoutes } from './profile/routes.ts'
import type { FieldValues } from './rules.ts'
import { createUsers, type NewUser, type User, type Users } from './service.ts'
import { isRoleShared, listBanned, listUserNames, ownProfile, type UserRow } from './store.ts'

export type {
  FieldValues,
  ManagedUsers,
  NewUser,
  StoredName,
  User,
  UserFields,
  UserNames,
  UserNamesConfig,
  UserRow,
  Users,
  WritableField,
}

interface JsonSchema {
  properties?: { fields?: unknown }
  required?: string[]
}

/**
 * Removes the property `fields` from a schema of the API document, because on the wire the configured fields stand beside the other
 * properties.
 */
const withoutFields = ({ jsonSchema }: { readonly jsonSchema: JsonSchema }) => {
  delete jsonSchema.properties?.fields
  jsonSchema.required = (jsonSchema.required ?? []).filter((name) => name !== 'fields')
}

// These descriptions are not in the contract, because every page loads the contract.
z.globalRegistry.add(Person, {
  id: 'User',
  description:
    'A user. The fields of `users.fields` stand beside the other fields under their names. With `accounts.userNames`, `username` and `displayUsername` do too.',
  override: withoutFields,
})
z.globalRegistry.add(AdministeredPerson, {
  id: 'AdministeredUser',
  description: 'A user as administrators see them. The fields of `users.fields` stand beside the other fields under their names.',
  override: withoutFields,
})

interface Config {
  readonly users: UsersConfig
  readonly accounts: { readonly userNames: UserNamesConfig }
}

/** The user's profile in the download of personal data. Configured fields that answers never contain are left out. */
const profileOf = ({ fields: configured }: UsersConfig): PersonalData => ({
  ...ownProfile,
  read: async function* (db, owner) {
    for await (const { fields, ...profile } of ownProfile.read(db, owner)) {
      const values = Object.entries((fields as FieldValues | null) ?? {})
      yield { ...profile, fields: Object.fromEntries(values.filter(([name]) => configured[name]?.returned === true)) }
    }
  },
})

export const usersFeature = defineFeature({
  name: 'users',
  config: { users: usersConfig, accounts: userNameSettings },
  errors: userErrors.table,
  events: userEvents,
  commands: [userCommands],
  build: (base: Base, { users: config, accounts }: Config, { instanceRoles }: { readonly instanceRoles: RoleDirectory }) => {
    const names = createUserNames(accounts.userNames)
    const shapes = createUserSchemas(config.fields, accounts.userNames.mode)
    const users = createUsers({ ...base, config, names, instanceRoles })
    /** Warns about roles that users have but that the configuration no longer defines. */
    const prepare = async () => {
      for (const role of await users.unknownRoles(base.db))
        base.log.warn({ role }, 'users have a role that access.roles does not know: it gives them nothing')
    }
    return {
      names: [{ kinds: ['user'], permission: 'users:read', list: listUserNames }],
      personalData: [profileOf(config)],
      withheldData: ['user_search', 'user_search_text'].map((table) => ({ table, why: 'repeats the words of name and address' })),
      api: { users, managedUsers: createManagedUsers({ ...base, users, instanceRoles }) },
      routes: [...profileRoutes(users), ...userNameRoutes(base.db, users)],
      claims: createUserClaims(names),
      schemas: (schema) => {
        const found = userShapes.get(schema)
        return found && shapes[found.shape]
      },
      comingBack: async (db, most) => ({
        'Banned people, as of the backup; whoever was banned since is not': (await listBanned(db, base.clock.now(), most)).map(
          ({ email }) => email,
        ),
      }),
      setupSteps: [{ name: 'colleague', keys: [], look: async () => ({ isDone: await isRoleShared(base.db) }) }],
      prepare,
    }
  },
})
