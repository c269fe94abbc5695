import { type Base, type Built, defineFeature } from '../../feature.ts'
import { type Claim, type Claims, createClaims } from './service.ts'

export type { Claim, Claims }

/** The claims about users, their organizations and their purchases, for every protocol. It comes after the features that give claims. */
export const claimsFeature = defineFeature({
  name: 'claims',
  build: (base: Base) => ({ api: { claims: createClaims(base.claimSources()) } }) satisfies Built,
})
