import type { ProviderSection, SocialConfig } from '../config.ts'
import { type ProviderDefinition, profileOf } from '../rules/definition.ts'
import { knownProviders, trustsEmail } from '../rules/known.ts'
import { github } from '../rules/oauth-providers.ts'
import { flag, text } from '../rules/reading.ts'
import { createGitHub } from './github.ts'
import { createOpenidProvider } from './openid.ts'
import { createTableProvider } from './table-provider.ts'
import type { Upstream, UpstreamDeps, UpstreamSettings } from './types.ts'

/** A provider of plain OAuth 2.0 that no table knows. */
const otherProvider = (id: string, { name, claims, pkce }: ProviderSection): ProviderDefinition => ({
  name: name ?? id,
  authorizationUrl: '',
  tokenUrl: '',
  userinfoUrl: '',
  scopes: [],
  ...(pkce === false ? {} : { pkce: true }),
  profile: (json) =>
    profileOf(
      text(json, claims.id),
      text(json, claims.name),
      text(json, claims.email),
      flag(json, claims.emailVerified),
      text(json, claims.image),
    ),
})

/** The table's row with what the configuration says instead. */
const withSection = <D extends ProviderDefinition>(definition: D, section: ProviderSection): D => {
  const place = (url: string) => url.replace('{tenant}', section.tenantId)
  const { idToken, userinfoUrl } = definition
  const profileUrl = section.userinfoUrl ?? userinfoUrl
  return {
    ...definition,
    authorizationUrl: section.authorizationUrl ?? place(definition.authorizationUrl),
    tokenUrl: section.tokenUrl ?? place(definition.tokenUrl),
    ...(profileUrl === undefined ? {} : { userinfoUrl: profileUrl }),
    ...(section.scopes === undefined ? {} : { scopes: section.scopes }),
    ...(idToken === undefined
      ? {}
      : {
          idToken: {
            issuers: section.issuer === undefined ? idToken.issuers : [section.issuer],
            jwksUrl: section.jwksUrl ?? place(idToken.jwksUrl),
          },
        }),
  }
}

const createOne = (settings: UpstreamSettings): Upstream => {
  const { id, section } = settings
  if (id === 'github') {
    const row = withSection(github, section)
    return createGitHub(settings, { ...row, emailsUrl: section.emailsUrl ?? row.emailsUrl })
  }
  const known = knownProviders[id]
  if (known !== undefined) return createTableProvider(settings, withSection(known, section))
  if (section.issuer !== undefined || section.discoveryUrl !== undefined) return createOpenidProvider(settings)
  return createTableProvider(settings, withSection(otherProvider(id, section), section))
}

/** The providers that are switched on, by id. */
export const createUpstreams = (config: SocialConfig, url: string, deps: UpstreamDeps): ReadonlyMap<string, Upstream> => {
  const upstreams = new Map<string, Upstream>()
  for (const [id, section] of Object.entries(config.providers)) {
    const { clientId, clientSecret, redirectUri = `${url}/callback/${id}` } = section
    if (clientId !== undefined)
      upstreams.set(
        id,
        createOne({ ...deps, id, section, clientId, clientSecret, redirectUri, trustsEmail: trustsEmail(id, section) }),
      )
  }
  return upstreams
}
