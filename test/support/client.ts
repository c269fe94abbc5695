import { adminApiKeyContract, apiKeyContract } from '../../src/api-keys/contract.ts'
import { auditContract, organizationAuditContract } from '../../src/audit/contract.ts'
import { explanationContract, ownSignInContract } from '../../src/authentication/explanation/contract.ts'
import { factorAdministrationContract } from '../../src/authentication/factor-administration/contract.ts'
import { providerAdministrationContract } from '../../src/authentication/methods/federated/administration/contract.ts'
import { socialContract } from '../../src/authentication/methods/federated/contract.ts'
import {
  identityAdministrationContract,
  signInMethodContract,
} from '../../src/authentication/methods/federated/linked-accounts/contract.ts'
import { mailCodeContract } from '../../src/authentication/methods/mail-codes/contract.ts'
import { mailSignInContract } from '../../src/authentication/methods/mail-sign-in/contract.ts'
import { passkeyContract } from '../../src/authentication/methods/passkey/contract.ts'
import { signInContract } from '../../src/authentication/methods/password/contract.ts'
import { newPasswordContract } from '../../src/authentication/methods/password/new-password/contract.ts'
import { recoveryCodeContract } from '../../src/authentication/methods/recovery-codes/contract.ts'
import { totpContract } from '../../src/authentication/methods/totp/contract.ts'
import { rememberedBrowserContract } from '../../src/authentication/remembered-browsers/contract.ts'
import { recoveryContract } from '../../src/authentication/second-factor-recovery/contract.ts'
import { sessionAdministrationContract } from '../../src/authentication/sessions/administration/contract.ts'
import { sessionContract } from '../../src/authentication/sessions/contract.ts'
import { verificationContract } from '../../src/authentication/verification/contract.ts'
import { backupContract } from '../../src/backup/contract.ts'
import { billingOperationsContract } from '../../src/billing/administration/contract.ts'
import { driftContract } from '../../src/billing/drift/contract.ts'
import { rulesContract } from '../../src/billing/dry-run/contract.ts'
import { billingAdminContract } from '../../src/billing/queries/contract/admin.ts'
import { billingContract } from '../../src/billing/queries/contract/own.ts'
import { seatsContract } from '../../src/billing/seats/contract.ts'
import { healthContract } from '../../src/health/contract.ts'
import { healthAdminContract } from '../../src/health/diagnosis/contract.ts'
import type { Send } from '../../src/http/client.ts'
import { createConditionalApi } from '../../src/http/conditional.ts'
import { createApi, eventStreamType } from '../../src/http/contract.ts'
import { deletionContract } from '../../src/identity/deletion/contract.ts'
import { roleContract } from '../../src/identity/roles/contract.ts'
import { administrationContract } from '../../src/identity/users/administration/contract/actions.ts'
import { userAdministrationContract } from '../../src/identity/users/administration/contract/users.ts'
import { profileContract } from '../../src/identity/users/profile/contract.ts'
import { imageContract } from '../../src/images/contract.ts'
import { mailContract } from '../../src/mail/contract.ts'
import { applicationContract } from '../../src/oidc/clients/contract.ts'
import { connectedContract } from '../../src/oidc/connected/contract.ts'
import { oidcContract } from '../../src/oidc/contract.ts'
import { grantContract } from '../../src/oidc/grants/contract.ts'
import { initialAccessTokenContract } from '../../src/oidc/initial-access-tokens/contract.ts'
import { signingKeyContract } from '../../src/oidc/keys/contract.ts'
import { apiContract } from '../../src/oidc/resource-servers/contract.ts'
import { testSignInContract } from '../../src/oidc/test-sign-ins/contract.ts'
import { organizationAdministrationContract } from '../../src/organizations/administration/contract.ts'
import { organizationContract } from '../../src/organizations/contract.ts'
import { invitationAdministrationContract, invitationContract } from '../../src/organizations/invitations/contract.ts'
import { logoAdministrationContract } from '../../src/organizations/logo/contract.ts'
import { memberContract } from '../../src/organizations/members/contract.ts'
import { organizationRoleContract } from '../../src/organizations/roles/contract.ts'
import { teamAdministrationContract, teamContract } from '../../src/organizations/teams/contract.ts'
import { settingsContract } from '../../src/settings/contract.ts'
import { setupContract } from '../../src/setup/contract.ts'
import { statisticsContract } from '../../src/statistics/contract.ts'
import { taskContract } from '../../src/tasks/contract.ts'
import { type Received, send } from './request.ts'

const apisOf = (send: Send) => ({
  accounts: () => createApi({ ...signInContract, ...verificationContract }, send),
  passkeys: () => createApi(passkeyContract, send),
  passwords: () => createApi(newPasswordContract, send),
  profile: () => createApi(profileContract, send),
  administration: () => createConditionalApi(administrationContract, send),
  users: () => createConditionalApi({ ...userAdministrationContract, ...identityAdministrationContract }, send),
  twoFactor: () => createApi({ ...totpContract, ...recoveryCodeContract, ...recoveryContract }, send),
  factorAdministration: () => createConditionalApi(factorAdministrationContract, send),
  userSessions: () => createConditionalApi(sessionAdministrationContract, send),
  allOrganizations: () =>
    createConditionalApi(
      {
        ...organizationAdministrationContract,
        ...logoAdministrationContract,
        ...organizationRoleContract,
        ...teamAdministrationContract,
        ...invitationAdministrationContract,
      },
      send,
    ),
  deletion: () => createApi(deletionContract, send),
  linkedAccounts: () => createApi(signInMethodContract, send),
  sessions: () => createApi(sessionContract, send),
  mailSignIn: () => createApi({ ...mailSignInContract, ...mailCodeContract }, send),
  rememberedBrowsers: () => createApi(rememberedBrowserContract, send),
  apiKeys: () => createApi(apiKeyContract, send),
  adminApiKeys: () => createApi(adminApiKeyContract, send),
  billing: () => createApi(billingContract, send),
  billingAdmin: () =>
    createApi(
      { ...billingAdminContract, ...billingOperationsContract, ...rulesContract, ...seatsContract, ...driftContract },
      send,
    ),
  oidc: () => createApi(oidcContract, send),
  applications: () => createConditionalApi({ ...applicationContract, ...testSignInContract }, send),
  connected: () => createApi(connectedContract, send),
  grants: () => createApi(grantContract, send),
  initialAccessTokens: () => createApi(initialAccessTokenContract, send),
  apis: () => createConditionalApi(apiContract, send),
  signingKeys: () => createApi(signingKeyContract, send),
  images: () => createApi(imageContract, send),
  mails: () => createApi(mailContract, send),
  tasks: () => createApi(taskContract, send),
  organizations: () => createApi(organizationContract, send),
  members: () => createApi(memberContract, send),
  invitations: () => createApi(invitationContract, send),
  teams: () => createApi(teamContract, send),
  setup: () => createApi(setupContract, send),
  settings: () => createConditionalApi(settingsContract, send),
  social: () => createApi(socialContract, send),
  providers: () => createApi(providerAdministrationContract, send),
  roles: () => createApi(roleContract, send),
  health: () => createApi(healthContract, send),
  healthAdmin: () => createApi(healthAdminContract, send),
  statistics: () => createApi(statisticsContract, send),
  audit: () => createApi({ ...auditContract, ...organizationAuditContract }, send),
  backups: () => createApi(backupContract, send),
  signIns: () => createApi(explanationContract, send),
  ownSignIns: () => createApi(ownSignInContract, send),
})

type Makers = ReturnType<typeof apisOf>

/** Each API client is made at its first use. Tests make thousands of browsers, and each uses few API clients. */
const apiOf = (send: Send): { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> } => {
  const makers: Readonly<Record<PropertyKey, (() => unknown) | undefined>> = apisOf(send)
  const made = new Map<PropertyKey, unknown>()
  return new Proxy({} as never, {
    get: (_, name) => {
      if (!made.has(name)) made.set(name, makers[name]?.())
      return made.get(name)
    },
  })
}

export type Json = Record<string, unknown>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body, or `{}` if it is not JSON. */
  readonly json: Json
  readonly location: string | null
}

export interface Client {
  /** The typed client of every contract. Its calls throw `ApiError`. */
  readonly api: ReturnType<typeof apiOf>
  readonly cookies: Map<string, string>
  /** `fetch` with this browser's cookies and Origin, for libraries that make their own calls. It does not follow redirects. */
  readonly fetch: (path: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Sends a request with this browser's cookies and Origin. It does not follow redirects. */
  request(path: string, init?: RequestInit): Promise<Answer>
  /** Sends a JSON value by POST. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

const remember = (cookies: Map<string, string>, lines: readonly string[]) => {
  for (const line of lines) {
    const [pair = '', ...attributes] = line.split(';')
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    const ends = attributes.some((attribute) => /^\s*(max-age=0|expires=thu, 01 jan 1970.*)$/i.test(attribute)) || value === ''
    if (ends) cookies.delete(name)
    else cookies.set(name, value)
  }
}

const isEndless = (headers: Headers) => headers.get('content-type') === eventStreamType
/** A response with one of these statuses has no body, and the constructor of `Response` refuses one. */
const isEmpty = (status: number) => status === 204 || status === 304

/** A browser without a screen. It stores cookies and sends its Origin. */
export const createClient = (url: string): Client => {
  const cookies = new Map<string, string>()
  const headersOf = ({ headers: given, method }: RequestInit): Headers => {
    const headers = new Headers(given)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    if (!headers.has('origin') && method !== undefined && method !== 'GET') headers.set('origin', url)
    return headers
  }
  const fetchWithCookies: Client['fetch'] = async (path, init = {}) => {
    const address = new URL(path instanceof Request ? path.url : path, url)
    const answer = await fetch(address, { ...init, headers: headersOf(init), redirect: 'manual' })
    remember(cookies, answer.headers.getSetCookie())
    return answer
  }
  const receive = async (path: string, init: RequestInit): Promise<Received> => {
    const address = new URL(path, url)
    const { method, body, ...others } = init
    const isPlain = (body === undefined || typeof body === 'string') && others.signal === undefined
    if (!isPlain || address.protocol !== 'http:') {
      const answer = await fetchWithCookies(path, init)
      const { status, statusText, headers } = answer
      return { status, statusText, headers, text: await answer.text() }
    }
    const sent = {
      headers: headersOf(init),
      ...(method === undefined ? {} : { method }),
      ...(body === undefined ? {} : { body }),
    }
    const received = await send(address, sent, isEndless)
    remember(cookies, received.headers.getSetCookie())
    return received
  }
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const { status, headers, text } = await receive(path, init)
    const isJson = /\bjson\b/.test(headers.get('content-type') ?? '') && text !== ''
    return { status, headers, text, json: isJson ? JSON.parse(text) : {}, location: headers.get('location') }
  }
  return {
    api: apiOf(async (path, init) => {
      const { text, ...answer } = await receive(path, init)
      return new Response(isEmpty(answer.status) ? null : text, answer)
    }),
    cookies,
    fetch: fetchWithCookies,
    request,
    post: (path, body = {}, headers = {}) =>
      request(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
  }
}
