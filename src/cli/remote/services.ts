import { adminApiKeyContract } from '../../api-keys/contract.ts'
import { declarationContract, sentText } from '../../apply/calls/contract.ts'
import type { Declaration } from '../../apply/contract.ts'
import { explanationContract } from '../../authentication/explanation/contract.ts'
import { factorAdministrationContract } from '../../authentication/factor-administration/contract.ts'
import { sessionAdministrationContract } from '../../authentication/sessions/administration/contract.ts'
import { billingOperationsContract } from '../../billing/administration/contract.ts'
import type { App } from '../../composition.ts'
import { systemClock } from '../../core/clock.ts'
import { createRemedies } from '../../core/remedies.ts'
import { UsageError } from '../../core/terminal.ts'
import { healthAdminContract } from '../../health/diagnosis/contract.ts'
import { ApiError, type Send } from '../../http/client.ts'
import { type Api, type Contract, createApi } from '../../http/contract.ts'
import { administrationContract } from '../../identity/users/administration/contract/actions.ts'
import { userAdministrationContract } from '../../identity/users/administration/contract/users.ts'
import { mailContract } from '../../mail/contract.ts'
import { applicationContract } from '../../oidc/clients/contract.ts'
import { grantContract } from '../../oidc/grants/contract.ts'
import { initialAccessTokenContract } from '../../oidc/initial-access-tokens/contract.ts'
import { signingKeyContract } from '../../oidc/keys/contract.ts'
import { logoutContract } from '../../oidc/logout/contract.ts'
import { apiContract } from '../../oidc/resource-servers/contract.ts'
import { organizationAdministrationContract } from '../../organizations/administration/contract.ts'
import { setupStepContract } from '../../setup/contract.ts'
import { taskContract } from '../../tasks/contract.ts'
import { localOnly } from './connection.ts'

/** As JSON and addresses have it: points in time as texts. */
const onWire = (value: unknown): unknown => {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(onWire)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, onWire(field)]))
}

type Call = (input: { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown }) => Promise<unknown>

/** The calls of a contract, which take what the services take. */
const calls = <C extends Contract>(contract: C, send: Send) => {
  type Answers = { readonly [K in keyof C]: (input?: Parameters<Call>[0]) => ReturnType<Api<C>[K]> }
  const api: object = createApi(contract, send)
  const entries = Object.entries<Call>({ ...api }).map(([name, call]) => [
    name,
    (input: Parameters<Call>[0] = {}) => call({ params: input.params, query: onWire(input.query), body: onWire(input.body) }),
  ])
  return Object.fromEntries(entries) as Answers
}

/** The services of APIs and of their secrets. */
const apiServices = (send: Send) => {
  const apis = calls(apiContract, send)
  /** Commands print an API as they do beside the database. */
  const withoutNames = <T extends { readonly applications: unknown }>({ applications: _, ...api }: T) => api
  /** APIs are named by id or identifier; calls know them by id. */
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

/** The services of applications, their keys and their registration. */
const applicationServices = (send: Send) => {
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

/**
 * The services that commands work with, at another machine: each does by a call of its contract what it does beside the database, so that a command says
 * the same either way. Whoever is asked for is checked there; the principal of the command counts for nothing.
 */
const remoteServices = (send: Send, instance: string) => {
  const users = calls(userAdministrationContract, send)
  const people = calls(administrationContract, send)
  const sessions = calls(sessionAdministrationContract, send)
  const factors = calls(factorAdministrationContract, send)
  const organizations = calls(organizationAdministrationContract, send)
  const apiKeys = calls(adminApiKeyContract, send)
  const tasks = calls(taskContract, send)
  const mails = calls(mailContract, send)
  const explanations = calls(explanationContract, send)
  const billing = calls(billingOperationsContract, send)
  const steps = calls(setupStepContract, send)
  const declarations = calls(declarationContract, send)
  const health = calls(healthAdminContract, send)
  /** People are named by id or address; calls know them by id. */
  const userOf = async (named: string) => {
    if (!named.includes('@')) return users.adminGetUser({ params: { id: named } })
    const { users: found } = await users.adminListUsers({ query: { search: named, limit: 20 } })
    const id = found.find(({ email }) => email === named.toLowerCase())?.id
    if (id === undefined) throw new ApiError(404, 'USER_NOT_FOUND', 'User not found')
    return users.adminGetUser({ params: { id } })
  }
  /** As people: by id or slug. */
  const organizationOf = async (named: string) => {
    const { organizations: found } = await organizations.adminListOrganizations({ query: { search: named, limit: 20 } })
    const id = found.find(({ slug }) => slug === named.toLowerCase())?.id ?? named
    return organizations.adminGetOrganization({ params: { id } })
  }
  const sessionsOf = async (whom: string) =>
    (await people.listUserSessions({ body: { userId: (await userOf(whom)).id } })).sessions
  /** As the services have it. */
  const withBan = <T extends { readonly banned: boolean; readonly banExpires: Date | null }>(user: T) => ({
    ...user,
    bannedAt: user.banned ? new Date(0) : null,
    banExpiresAt: user.banExpires,
  })
  return {
    core: { clock: systemClock, remedies: createRemedies(['--remote', instance]) },
    administration: {
      list: async (query: unknown) => users.adminListUsers({ query }),
      update: (_: unknown, id: string, body: unknown) => users.adminPatchUser({ params: { id }, body }),
      setRole: async (_: unknown, whom: string, role: unknown) =>
        withBan((await people.setRole({ body: { userId: (await userOf(whom)).id, role } })).user),
      ban: async (_: unknown, whom: string, banReason: unknown, banExpiresIn: unknown) =>
        withBan((await people.banUser({ body: { userId: (await userOf(whom)).id, banReason, banExpiresIn } })).user),
      unban: async (_: unknown, whom: string) =>
        withBan((await people.unbanUser({ body: { userId: (await userOf(whom)).id } })).user),
      remove: async (_: unknown, whom: string) => {
        const user = await userOf(whom)
        await people.removeUser({ body: { userId: user.id } })
        return user
      },
      listSessions: (_: unknown, whom: string) => sessionsOf(whom),
      endSession: async (_: unknown, id: string) => void (await sessions.adminEndSession({ params: { id } })),
      endSessions: async (_: unknown, whom: string) => {
        const user = await userOf(whom)
        await people.revokeUserSessions({ body: { userId: user.id } })
        return user
      },
    },
    managedUsers: { require: userOf },
    factorAdministration: {
      get: (id: string) => factors.adminListFactors({ params: { id } }),
      remove: (_: unknown, id: string, factorId: string) => factors.adminRemoveFactor({ params: { id, factorId } }),
      removeAll: (_: unknown, id: string) => factors.adminRemoveFactors({ params: { id } }),
      require: (_: unknown, id: string, required: boolean) => factors.adminRequireFactor({ params: { id }, body: { required } }),
    },
    organizations: {
      require: organizationOf,
      updateById: (_: unknown, id: string, body: unknown) => organizations.adminPatchOrganization({ params: { id }, body }),
      removeById: (_: unknown, id: string) => organizations.adminDeleteOrganization({ params: { id } }),
    },
    organizationAdministration: {
      get: (id: string) => organizations.adminGetOrganization({ params: { id } }),
      list: async (query: unknown) => {
        const { organizations: rows, next } = await organizations.adminListOrganizations({ query })
        return { rows, next }
      },
      listMembers: async (id: string, query: unknown) => {
        const { members: rows, next } = await organizations.adminListMembers({ params: { id }, query })
        return { rows, next }
      },
    },
    oidc: applicationServices(send),
    apiKeys: {
      list: async ({ ownerKind }: { readonly ownerKind?: string }, { limit }: { readonly limit: number }) =>
        (await apiKeys.adminListApiKeys({ query: { ownerKind, limit } })).apiKeys,
      find: (id: string) => apiKeys.adminGetApiKey({ params: { id } }),
      rotate: (_: unknown, __: unknown, id: string, body: unknown) => apiKeys.adminRotateApiKey({ params: { id }, body }),
      revoke: async (_: unknown, __: unknown, id: string) => void (await apiKeys.adminDeleteApiKey({ params: { id } })),
    },
    tasks: {
      requeue: (_: unknown, id: string) => tasks.requeueTask({ params: { id } }),
      drop: (_: unknown, id: string) => tasks.deleteTask({ params: { id } }),
    },
    mail: { requeue: (_: unknown, id: string) => mails.retryMail({ params: { id } }) },
    explanations: {
      explain: (_: unknown, query: unknown) => explanations.explainSignIn({ query }),
    },
    billing: {
      deliveries: {
        replay: async (_: unknown, id: string) => (await billing.replayDelivery({ params: { id } })).effect,
        dismiss: async (_: unknown, id: string) => (await billing.dismissDelivery({ params: { id } })).dismissedAt,
      },
    },
    applying: {
      plan: (_: unknown, declaration: Declaration, { prune }: { readonly prune: boolean }) =>
        declarations.applyDeclaration({ body: { declaration: sentText(declaration), prune, dryRun: true } }),
      applyShown: (_: unknown, declaration: Declaration, options: object) =>
        declarations.applyDeclaration({ body: { declaration: sentText(declaration), ...options } }),
    },
    setupSteps: {
      list: async () => (await steps.listSetupSteps()).steps,
      update: (_: unknown, name: string, body: unknown) => steps.updateSetupStep({ params: { name }, body }),
    },
    diagnosis: { run: async () => (await health.diagnose()).checks.map(({ since: _, ...check }) => check) },
  }
}

const refuse = (): never => {
  throw new UsageError(localOnly)
}

/** Stands for what there is no call for: whoever uses it is told so. */
const absent: object = new Proxy(refuse, { get: (_, name) => (name === 'then' ? undefined : absent) })

const withAbsent = (services: object): object =>
  new Proxy(services, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name)
      if (found === undefined) return name === 'then' ? undefined : absent
      return typeof found === 'object' && found !== null ? withAbsent(found) : found
    },
  })

/** The application of another machine, as commands see it. */
export const remoteApp = (send: Send, instance: string): App => withAbsent(remoteServices(send, instance)) as App
