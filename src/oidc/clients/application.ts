import type { z } from 'zod'
import { splitScope } from '../rules.ts'
import type { Application as ApplicationSchema } from './contract.ts'
import type { ClientRow } from './store.ts'

/** A registered application as administrators see it. */
export type Application = z.output<typeof ApplicationSchema>

/** The URL of the logo on this server, whose public address is `url`; null if the application has no logo. */
export const logoOf = ({ logoImage }: Pick<ClientRow, 'logoImage'>, url: string): string | null =>
  logoImage === null ? null : `${url}/images/${logoImage}`

/** The lists are copied, because the caller may change the result. */
const furtherOf = ({ metadata }: Pick<ClientRow, 'metadata'>) => {
  const { grantTypes: _, ...further } = metadata
  return structuredClone(further) as Pick<Application, keyof typeof further>
}

export const toApplication = ({ redirectUrls, postLogoutRedirectUrls, scope, ...row }: ClientRow, url: string): Application => ({
  ...{ clientId: row.clientId, name: row.name, type: row.type, idTokenAlg: row.idTokenAlg, pkce: row.pkce },
  ...{ requireAcr: row.requireAcr, unknownScopes: row.unknownScopes, withoutPkceAt: row.withoutPkceAt },
  ...{
    skipConsent: row.skipConsent,
    understandsAct: row.understandsAct,
    disabled: row.disabled,
    icon: row.icon,
    uri: row.uri,
    policyUri: row.policyUri,
  },
  ...{ tosUri: row.tosUri, createdAt: row.createdAt, updatedAt: row.updatedAt, webOrigins: [...row.webOrigins] },
  ...{ logo: logoOf(row, url), logoProblem: row.logoProblem, color: row.color },
  ...furtherOf(row),
  ...{ registeredBy: row.registeredBy, registrantId: row.registrantId, review: row.review },
  permissions: [...row.permissions],
  redirectUris: [...redirectUrls],
  postLogoutRedirectUris: [...postLogoutRedirectUrls],
  scopes: splitScope(scope),
})
