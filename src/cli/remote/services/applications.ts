import type { Send } from '../../../http/client.ts'
import { applicationContract } from '../../../oidc/clients/contract.ts'
import { grantContract } from '../../../oidc/grants/contract.ts'
import { initialAccessTokenContract } from '../../../oidc/initial-access-tokens/contract.ts'
import { signingKeyContract } from '../../../oidc/keys/contract.ts'
import { logoutContract } from '../../../oidc/logout/contract.ts'
import { apiContract } from '../../../oidc/resource-servers/contract.ts'
import { calls } from './calls.ts'

/** The services for APIs and their secrets. */
const apiServices = (send: Send) => {
  const apis = calls(apiContract, send)
  /** Removes the names of applications from an API, because commands do not print them. */
  const withoutNames = <T extends { readonly applications: unknown }>({ applications: _, ...api }: T) => api
  /** Returns the id of an API. Commands name an API by its id or identifier, but calls only accept ids. */
  const idOf = async (named: string) => {
    if (!named.includes(':')) return named
    const { apis: found } = await apis.listApis({ query: { limit: 500 } })
    return found.find(({ identifier }) => identifier === named)?.id ?? named
  }
  return {
    list: async (_: unknown, query: unknown) => {
      const { apis: found, next } = await apis.listApis({ query })
      return { apis: found.map(withoutNames), next }
    },
    get: async (_: unknown, named: string) => withoutNames(await apis.getApi({ params: { apiId: await idOf(named) } })),
    create: (_: unknown, body: unknown) => apis.createApi({ body }),
    update: async (_: unknown, named: string, body: unknown) => apis.updateApi({ params: { apiId: await idOf(named) }, body }),
    remove: (_: unknown, apiId: string) => apis.deleteApi({ params: { apiId } }),
    listSecrets: async (_: unknown, named: string) =>
      (await apis.listApiSecrets({ params: { apiId: await idOf(named) } })).secrets,
    rotateSecret: async (_: unknown, named: string, overlapSeconds: number) =>
      apis.rotateApiSecret({ params: { apiId: await idOf(named) }, body: { overlapSeconds } }),
    revokeSecret: async (_: unknown, named: string, secretId: string) =>
      (await apis.revokeApiSecret({ params: { apiId: await idOf(named), secretId } })).secrets,
  }
}

/** The services for applications, their secrets and their registration. */
export const applicationServices = (send: Send) => {
  const applications = calls(applicationContract, send)
  const keys = calls(signingKeyContract, send)
  const tokens = calls(initialAccessTokenContract, send)
  const grants = calls(grantContract, send)
  const logouts = calls(logoutContract, send)
  let cachedSeconds = 0
  const noted = <T extends { readonly cachedSeconds: number }>(answer: T): T => {
    cachedSeconds = answer.cachedSeconds
    return answer
  }
  return {
    applications: {
      list: (_: unknown, query: unknown) => applications.listApplications({ query }),
      get: (_: unknown, clientId: string) => applications.getApplication({ params: { clientId } }),
      update: (_: unknown, clientId: string, body: unknown) => applications.updateApplication({ params: { clientId }, body }),
      remove: async (_: unknown, clientId: string) => {
        const application = await applications.getApplication({ params: { clientId } })
        await applications.deleteApplication({ params: { clientId } })
        return application
      },
      dependentsOf: (_: unknown, clientId: string) => applications.countDependents({ params: { clientId } }),
    },
    clientLogos: {
      upload: (_: unknown, clientId: string, bytes: Uint8Array<ArrayBuffer>) =>
        applications.setLogo({ params: { clientId }, body: new Blob([bytes]) }),
      remove: (_: unknown, clientId: string) => applications.removeLogo({ params: { clientId } }),
      // When the URL of a logo changes, the server fetches the logo by itself, so only the application is read here.
      fetch: (_: unknown, clientId: string) => applications.getApplication({ params: { clientId } }),
    },
    clients: {
      register: async (_: unknown, { secret: clientSecret, scope: scopes, ...given }: Readonly<Record<string, unknown>>) => {
        const { client, clientSecret: secret } = await applications.createApplication({
          body: { ...given, scopes, clientSecret },
        })
        return { client, secret: secret ?? undefined }
      },
    },
    clientSecrets: {
      rotate: async (
        _: unknown,
        clientId: string,
        { overlapSeconds, secret: given }: { readonly overlapSeconds?: number; readonly secret?: string },
      ) => {
        const { clientSecret: secret, ...rotated } = await applications.rotateSecret({
          params: { clientId },
          body: { overlapSeconds, clientSecret: given },
        })
        return { ...rotated, secret }
      },
      list: async (_: unknown, clientId: string) => (await applications.listSecrets({ params: { clientId } })).secrets,
      revoke: async (_: unknown, clientId: string, secretId: string) =>
        (await applications.revokeSecret({ params: { clientId, secretId } })).secrets,
    },
    keys: {
      list: async () => noted(await keys.listSigningKeys()).keys,
      rotate: async () => noted(await keys.rotateSigningKeys()).keys,
      revoke: async () => noted(await keys.revokeSigningKeys()).keys,
      get cachedSeconds() {
        return cachedSeconds
      },
    },
    apis: apiServices(send),
    logouts: { list: (_: unknown, query: unknown) => logouts.listLogoutNotices({ query }) },
    grants: {
      list: async (_: unknown, query: unknown) => {
        const { grants: consents, next } = await grants.listGrants({ query })
        return { consents, next }
      },
      listOf: (_: unknown, userId: string, query: unknown) => grants.listUserConsents({ params: { userId }, query }),
      endOf: async (_: unknown, userId: string, clientId: string, organizationId?: string) => {
        const params = { userId, clientId }
        if (organizationId === undefined) return (await grants.endUserConsent({ params })).tokens
        return (await grants.endUserConsentForOrganization({ params: { ...params, organizationId } })).tokens
      },
    },
    initialAccessTokens: {
      create: (_: unknown, body: unknown) => tokens.createInitialAccessToken({ body }),
      list: (_: unknown, query: unknown) => tokens.listInitialAccessTokens({ query }),
      revoke: (_: unknown, tokenId: string) => tokens.revokeInitialAccessToken({ params: { tokenId } }),
    },
  }
}
