import { type Base, type Built, defineFeature } from '../../feature.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Users } from '../users/index.ts'
import { type ClaimsConfig, claimsConfig } from './config.ts'
import { isOfAnyFounder, mappingsOf } from './rules.ts'
import { type Claim, type Claims, createClaims } from './service.ts'

export type { Claim, Claims }

interface Config {
  readonly claims: ClaimsConfig
  readonly organizations?: { readonly creation: string }
}

interface Needs {
  readonly users: Pick<Users, 'find' | 'fieldsOf'>
  readonly memberships?: Pick<Memberships, 'metadataOf'>
}

/**
 * Gives every protocol its claims about users, their organizations and their purchases. This feature is built after all features that add
 * claims.
 */
export const claimsFeature = defineFeature({
  name: 'claims',
  config: { claims: claimsConfig },
  check: ({ claims, organizations }: Config, fail) => {
    for (const mapping of mappingsOf(claims.mappings))
      if (isOfAnyFounder(mapping) && (organizations?.creation === 'verified' || organizations?.creation === 'everybody'))
        fail(
          mapping.rule.split('.'),
          'needs organization, since anybody may create an organization and own it, and the claim does not name it (or set organizations.creation to admins or nobody)',
        )
  },
  build: (base: Base, { claims }: Config, { users, memberships }: Needs) => {
    const more = {
      userOf: async (db: Parameters<Users['find']>[0], id: string) => {
        const user = await users.find(db, id)
        return user === undefined ? undefined : { fields: users.fieldsOf(user), role: user.role }
      },
      metadataOf: async (db: Parameters<Users['find']>[0], id: string) => (await memberships?.metadataOf(db, id)) ?? {},
    }
    return { api: { claims: createClaims(base.claimSources(), mappingsOf(claims.mappings), more) } } satisfies Built
  },
})
