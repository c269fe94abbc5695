import { decodeJwt } from 'jose'
import { errors, type KoaContextWithOIDC, interactionPolicy as library } from 'oidc-provider'
import type { Db } from '../../core/db/database.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Clients } from '../clients/service.ts'
import { asksForOrganization, createAccount, hasPrompt, isCovered, selectAccount, selectOrganization } from '../rules.ts'
import { type IsReachable, stepUpPrompt } from '../step-up/prompt.ts'
import type { Subjects } from '../subjects/service.ts'
import type { requestedScopes } from './api-tokens.ts'
import { policyChecks } from './library.ts'
import type { ProviderRequests, SignedIn } from './requests.ts'
import { isDeviceRoute } from './responses.ts'

/** An organization that the user can choose for a sign-in. */
interface Choice {
  readonly id: string
  /** True if members need two factors to act for the organization. */
  readonly requiresSecondFactor: boolean
}

/**
 * Returns the organization of a sign-in: null for none, undefined if the person has to choose. `chosen` is the organization that the
 * person has chosen or that the consent page has shown. Throws access_denied if the application names an organization and the person is
 * not a member.
 */
export type ChooseOrganization = (
  signedIn: SignedIn,
  params: Readonly<Record<string, unknown>>,
  chosen: string | null | undefined,
) => Promise<Choice | null | undefined>

/** The form of ids and slugs. A text of another form cannot name an organization. */
const reference = /^[\w-]{1,64}$/

export const createOrganizationChoice =
  (db: Db, memberships: Memberships, sourceScopes: readonly string[]): ChooseOrganization =>
  async ({ user, session }, params, chosen) => {
    const { organization: named, prompt } = params
    const find = async (idOrSlug: string) =>
      reference.test(idOrSlug) ? await memberships.claimsOf(db, user.id, idOrSlug) : undefined
    if (typeof named === 'string') {
      const organization = await find(named)
      // An unknown organization leads to this error too, because an application must not learn which organizations exist. So does a slug
      // that belongs to another organization since the person consented.
      if (organization === undefined || (chosen !== undefined && chosen !== organization.id))
        throw new errors.AccessDenied('the organization does not exist, or the user is not a member of it')
      return organization
    }
    if (chosen === null) return null
    const before = chosen === undefined ? undefined : await find(chosen)
    if (before !== undefined && before.id === chosen) return before
    if (hasPrompt(prompt, selectOrganization)) {
      const own = await memberships.listOf(db, user.id)
      if (own.length > 1) return undefined
      // If the chosen organization does not count any more, none is used instead, because the consent was only for the chosen one.
      return chosen === undefined ? (own[0] ?? null) : null
    }
    const { activeOrganizationId: active } = session
    if (chosen !== undefined || active === null || !asksForOrganization(params, sourceScopes)) return null
    const organization = await find(active)
    return organization?.id === active ? organization : null
  }

/**
 * The prompt for the organization, after the login and before the consent. The person is asked only if the application wants a choice and
 * the person has several organizations. If the consent page is shown anyway, the person chooses there.
 */
const organizationPrompt = (
  requests: ProviderRequests,
  choose: ChooseOrganization,
  isChosenWithConsent: (ctx: KoaContextWithOIDC) => Promise<boolean>,
) => {
  const prompt = new library.Prompt(
    { name: selectOrganization, requestable: true },
    new library.Check('organization', 'the End-User has to choose an organization', 'interaction_required', async (ctx) => {
      const { signedIn } = requests.of(ctx.req)
      const { params, result } = ctx.oidc
      if (signedIn === undefined) return library.Check.NO_NEED_TO_PROMPT
      const chosen = result?.[selectOrganization] as { readonly organizationId: string | null } | undefined
      const organization = await choose(signedIn, params ?? {}, chosen?.organizationId)
      const request = requests.of(ctx.req)
      request.organizationId = organization === undefined ? undefined : (organization?.id ?? null)
      request.organizationNeedsTwoFactors = organization?.requiresSecondFactor === true
      return organization === undefined && !(await isChosenWithConsent(ctx))
    }),
  )
  // The library's own check would ask people who have only one organization or none.
  prompt.checks.remove(policyChecks.requested(selectOrganization))
  return prompt
}

/**
 * The user named by `id_token_hint` has to be signed in (OpenID Connect Core 1.0, section 3.1.2.1). The library checks that only at the
 * start of the request and not after a login. The library has verified the token at the start.
 */
const isHinted = ({ clients, subjects }: Pick<PolicyDeps, 'clients' | 'subjects'>) =>
  new library.Check(
    policyChecks.idTokenHint,
    'id_token_hint and authenticated subject do not match',
    'login_required',
    async (ctx) => {
      const { params, session } = ctx.oidc
      const hint = params?.['id_token_hint']
      if (typeof hint !== 'string') return false
      const client = await clients.find(String(params?.['client_id']))
      if (client === undefined || session?.accountId === undefined) return true
      const { sub, events } = decodeJwt(hint)
      // A logout token has a valid signature too, but is no proof that the user is signed in.
      return events !== undefined || sub !== (await subjects.of(client, session.accountId))
    },
  )

/**
 * The library checks the redirect URI only at the start of a sign-in. The operator may have removed the URI since. Throws
 * invalid_redirect_uri. A page of this server shows that error; it is not sent to the redirect URI.
 */
const isRedirectAllowed = () =>
  new library.Check('redirect_uri', 'redirect_uri is not registered any more', (ctx) => {
    const { client, params } = ctx.oidc
    // A device has no redirect URI.
    if (isDeviceRoute(ctx)) return library.Check.NO_NEED_TO_PROMPT
    if (client?.redirectUriAllowed(String(params?.['redirect_uri'])) !== true) throw new errors.InvalidRedirectUri()
    return library.Check.NO_NEED_TO_PROMPT
  })

/**
 * A page of this server shows this error to the administrator. It is not sent to the application, because the application would report it
 * to the user.
 */
class ImpersonationNotUnderstood extends errors.CustomOIDCProviderError {
  override readonly allow_redirect = false

  constructor() {
    super('impersonation_not_understood', 'the application does not say that it understands the claim act')
  }
}

/**
 * An administrator who impersonates a user can sign in only to applications that understand the claim `act` (RFC 8693, section 4.1). Any
 * other application would take the administrator's actions for actions of the user. Throws an error that a page of this server shows. For
 * a request that must not show a page the error is login_required.
 */
const isImpersonationUnderstood = ({ clients, requests }: Pick<PolicyDeps, 'clients' | 'requests'>) =>
  new library.Check(
    'impersonation',
    'an administrator who acts as somebody is not signed in here',
    'login_required',
    async (ctx) => {
      const { signedIn } = requests.of(ctx.req)
      if (signedIn === undefined || signedIn.session.impersonatedBy === null) return library.Check.NO_NEED_TO_PROMPT
      if ((await clients.find(ctx.oidc.client?.clientId ?? ''))?.understandsAct === true) return library.Check.NO_NEED_TO_PROMPT
      if (ctx.oidc.prompts.has('none')) return library.Check.REQUEST_PROMPT
      throw new ImpersonationNotUnderstood()
    },
  )

/** A person consents separately for each organization, if the scopes give claims about the organization or allow actions in it. */
const isOrganizationAgreed = ({ requests, requestedScopes }: Pick<PolicyDeps, 'requests' | 'requestedScopes'>) =>
  new library.Check(
    'organization_consent',
    'the End-User has not agreed to this organization',
    'consent_required',
    async ({ oidc, req }) => {
      const { organizationId, agreedOrganizations } = requests.of(req)
      const isAgreed = oidc.result?.consent !== undefined || isCovered(agreedOrganizations, organizationId)
      return !isAgreed && (await requestedScopes(oidc.params ?? {})).ofOrganization.length > 0
    },
  )

interface PolicyDeps {
  readonly clients: Clients
  readonly subjects: Pick<Subjects, 'of'>
  readonly requests: ProviderRequests
  /** Returns the requested scopes that need consent. */
  readonly requestedScopes: (params: Readonly<Record<string, unknown>>) => ReturnType<typeof requestedScopes>
  /** Undefined if organizations are disabled. */
  readonly chooseOrganization: ChooseOrganization | undefined
  /** Tells which authentication classes the user can reach here. */
  readonly isReachable: IsReachable
  /** True if people can sign up. Otherwise `prompt=create` is an error. */
  readonly isSignUpOpen: boolean
  /** `consentPage` is the operator's own consent page. That page may lack the choice of an organization. */
  readonly config: { readonly consentPage?: string | undefined }
}

/**
 * Decides which prompts a person has to answer. Sign-up and choice of account: if the application requests them. Login: without a
 * session, or if the request needs a newer session. Step-up: if a higher authentication class is needed than the session has. Consent:
 * for new scopes, with `prompt=consent`, and for a native application whose redirect URI any other program could claim (RFC 8252, section
 * 8.6).
 */
export const interactionPolicy = (deps: PolicyDeps) => {
  const { clients, requests, chooseOrganization, isReachable, isSignUpOpen, config } = deps
  const policy = library.base()
  const isChosenWithConsent = async (ctx: KoaContextWithOIDC): Promise<boolean> => {
    if (config.consentPage !== undefined) return false
    for (const { check } of policy.get('consent')?.checks ?? []) if (await check(ctx)) return true
    return false
  }
  // The step-up prompt comes after the prompts for account and organization, and before the consent.
  policy.add(stepUpPrompt({ clients, requests, isReachable }), 1)
  if (chooseOrganization !== undefined) policy.add(organizationPrompt(requests, chooseOrganization, isChosenWithConsent), 1)
  // The choice of an account comes directly after the login, because a login answers it too. Prompts that depend on the account come
  // later.
  policy.add(new library.Prompt({ name: selectAccount, requestable: true }), 1)
  if (isSignUpOpen) policy.add(new library.Prompt({ name: createAccount, requestable: true }), 0)
  const login = policy.get('login')
  login?.checks.remove(policyChecks.idTokenHint)
  login?.checks.add(isHinted(deps))
  login?.checks.add(isRedirectAllowed())
  login?.checks.add(isImpersonationUnderstood(deps))
  // The step-up prompt compares authentication classes in place of these checks. It accepts a class that is higher than requested.
  for (const name of policyChecks.essentialAcr) login?.checks.remove(name)
  const consent = policy.get('consent')
  consent?.checks.add(isOrganizationAgreed(deps))
  consent?.checks.remove(policyChecks.nativeClient)
  consent?.checks.add(
    new library.Check(
      policyChecks.nativeClient,
      'native clients require End-User interaction',
      'interaction_required',
      async (ctx) => {
        const { client, params, result } = ctx.oidc
        // A person who confirms a device has agreed on a separate page.
        if (client?.applicationType !== 'native' || result?.consent !== undefined || isDeviceRoute(ctx))
          return library.Check.NO_NEED_TO_PROMPT
        const isClaimed = String(params?.['redirect_uri'] ?? '').startsWith('https:')
        const isTrusted = (await clients.find(client.clientId))?.skipConsent === true
        return isClaimed || isTrusted ? library.Check.NO_NEED_TO_PROMPT : library.Check.REQUEST_PROMPT
      },
    ),
  )
  return policy
}
