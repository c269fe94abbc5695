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
 * The organization of a sign-in. Null stands for no organization, and undefined means that the person has to choose. `chosen` is the
 * person's choice, or the organization on the consent page. Throws access_denied if the application names an organization of which the
 * person is no member.
 */
export type ChooseOrganization = (
  signedIn: SignedIn,
  params: Readonly<Record<string, unknown>>,
  chosen: string | null | undefined,
) => Promise<Choice | null | undefined>

/** The form of ids and slugs. Text of another form names no organization. */
const reference = /^[\w-]{1,64}$/

export const createOrganizationChoice =
  (db: Db, memberships: Memberships, sourceScopes: readonly string[]): ChooseOrganization =>
  async ({ user, session }, params, chosen) => {
    const { organization: named, prompt } = params
    const find = async (idOrSlug: string) =>
      reference.test(idOrSlug) ? await memberships.claimsOf(db, user.id, idOrSlug) : undefined
    if (typeof named === 'string') {
      const organization = await find(named)
      // An unknown organization gets the same answer, because an application must not learn which organizations exist. After the consent,
      // the slug may also belong to another organization.
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
      // A choice that is no longer valid is not replaced, because the consent was only for that organization.
      return chosen === undefined ? (own[0] ?? null) : null
    }
    const { activeOrganizationId: active } = session
    if (chosen !== undefined || active === null || !asksForOrganization(params, sourceScopes)) return null
    const organization = await find(active)
    return organization?.id === active ? organization : null
  }

/**
 * Decides which organization the sign-in is for, after login and before consent. The person is asked only if the application wants a
 * choice and there is one. If a consent page follows, that page asks.
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
  // The library's check would also ask users with one organization or none.
  prompt.checks.remove(policyChecks.requested(selectOrganization))
  return prompt
}

/**
 * `id_token_hint` names the user who has to be signed in (OpenID Connect Core 1.0, section 3.1.2.1). The library checks the user only at
 * the start, and not after a login. It has validated the token at the start.
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
      // A logout token has the same signature, but does not prove that the user is signed in.
      return events !== undefined || sub !== (await subjects.of(client, session.accountId))
    },
  )

/**
 * The library checks the redirect address only at the start of a sign-in. The operator may have removed the address since. Throws
 * invalid_redirect_uri, which a page of this server shows and which is not sent to the application.
 */
const isRedirectAllowed = () =>
  new library.Check('redirect_uri', 'redirect_uri is not registered any more', (ctx) => {
    const { client, params } = ctx.oidc
    // A device has no redirect address.
    if (isDeviceRoute(ctx)) return library.Check.NO_NEED_TO_PROMPT
    if (client?.redirectUriAllowed(String(params?.['redirect_uri'])) !== true) throw new errors.InvalidRedirectUri()
    return library.Check.NO_NEED_TO_PROMPT
  })

/** A page of this server shows this error. The application is not told, because it would take the administrator for the user. */
class ImpersonationNotUnderstood extends errors.CustomOIDCProviderError {
  override readonly allow_redirect = false

  constructor() {
    super('impersonation_not_understood', 'the application does not say that it understands the claim act')
  }
}

/**
 * An administrator who impersonates a user can sign in only to applications that understand the claim `act` (RFC 8693, section 4.1). Any
 * other application would take the administrator's actions for those of the user. Throws an error that a page shows. A request that must
 * not show a page gets login_required.
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

/** A person agrees separately for each organization to claims about it and to actions for it. */
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
  /** The scopes of a request that need consent. */
  readonly requestedScopes: (params: Readonly<Record<string, unknown>>) => ReturnType<typeof requestedScopes>
  /** Undefined where organizations are disabled. */
  readonly chooseOrganization: ChooseOrganization | undefined
  /** Tells which authentication classes the user can reach here. */
  readonly isReachable: IsReachable
  /** True if people can sign up. Otherwise `prompt=create` is an error. */
  readonly isSignUpOpen: boolean
  /** `consentPage` is a page of the operator's own. It may not offer the choice of an organization. */
  readonly config: { readonly consentPage?: string | undefined }
}

/**
 * Decides when a person is asked. Sign-up and choice of account: if the application asks for them. Login: without a session, or if the
 * request asks for a newer one. Further proof: if a higher authentication class is needed than that of the session. Consent: for new
 * scopes, with `prompt=consent`, and for native applications at addresses that any program could claim (RFC 8252, section 8.6).
 */
export const interactionPolicy = (deps: PolicyDeps) => {
  const { clients, requests, chooseOrganization, isReachable, isSignUpOpen, config } = deps
  const policy = library.base()
  const isChosenWithConsent = async (ctx: KoaContextWithOIDC): Promise<boolean> => {
    if (config.consentPage !== undefined) return false
    for (const { check } of policy.get('consent')?.checks ?? []) if (await check(ctx)) return true
    return false
  }
  // This prompt comes after those for the user and the organization, and before consent.
  policy.add(stepUpPrompt({ clients, requests, isReachable }), 1)
  if (chooseOrganization !== undefined) policy.add(organizationPrompt(requests, chooseOrganization, isChosenWithConsent), 1)
  // This prompt comes after the sign-in, which is a choice of account too, and before all prompts that depend on the user.
  policy.add(new library.Prompt({ name: selectAccount, requestable: true }), 1)
  if (isSignUpOpen) policy.add(new library.Prompt({ name: createAccount, requestable: true }), 0)
  const login = policy.get('login')
  login?.checks.remove(policyChecks.idTokenHint)
  login?.checks.add(isHinted(deps))
  login?.checks.add(isRedirectAllowed())
  login?.checks.add(isImpersonationUnderstood(deps))
  // The step-up prompt compares authentication classes instead, and accepts a higher one.
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
        // The person has confirmed the device on a separate page.
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
