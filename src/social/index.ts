import type { Feature } from '../feature.ts'
import type { SessionCookie } from '../http/cookies.ts'
import { socialErrors } from './errors.ts'
import { socialRoutes } from './routes.ts'
import { createSocial, type Social, type SocialDeps, type SocialProvider } from './service.ts'
import { sealedColumns } from './store.ts'

export type { Social, SocialProvider }

/** `stateCookie` binds a sign-in at a provider to the browser that began it. */
export const socialFeature = (deps: SocialDeps & { readonly stateCookie: SessionCookie }): Feature & { api: Social } => {
  const api = createSocial(deps)
  return {
    api,
    routes: socialRoutes(api, deps.stateCookie, deps.social.stateTtlSeconds),
    errors: socialErrors.table,
    sealedColumns,
  }
}
