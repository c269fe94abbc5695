import { decodeJwt } from 'jose'
import { interactionPolicy as engine, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clients } from '../clients/service.ts'
import { createAccount, missingScopes, selectAccount, selectOrganization, splitScope } from '../rules.ts'
import type { ChooseOrganization } from './organization.ts'
import type { EngineRequests } from './request.ts'

/** The scopes there are. */
const onlyKnown = (scope: string, scopes: readonly string[]): string =>
  splitScope(scope)
    .filter((one) => scopes.includes(one))
    .join(' ')

/** The token endpoint forgets unknown scopes, too: the library would refuse them at renewal. */
export const forgetUnknownScopes = ({ oidc }: KoaContextWithOIDC, scopes: readonly string[]): void => {
  const sent = oidc.route === 'token' ? oidc.params?.['scope'] : undefined
  if (oidc.params !== undefined && typeof sent === 'string') oidc.params['scope'] = onlyKnown(sent, scopes) || undefined
}

/**
 * Form of max_age, default scope, and an error for unknown ones (accounts specification, sections 8 and 9), or without them where the operator
 * wants that; the library would carry them along. It has filtered `params.scope` by now, so this reads what was sent.
 */
export const createRequestCheck =
  (scopes: readonly string[], areUnknownIgnored: boolean) =>
  (ctx: KoaContextWithOIDC): void => {
    const { params, route } = ctx.oidc
    const { scope: sent, max_age: maxAge } = route === 'authorization' ? ctx.query : (ctx.oidc.body ?? {})
    // The library takes whatever JavaScript reads as a number.
    if (typeof maxAge === 'string' && !/^\d*$/.test(maxAge)) throw new errors.InvalidRequest('invalid max_age parameter value')
    const unknown = missingScopes(splitScope(typeof sent === 'string' ? sent : ''), scopes)
    if (unknown.length > 0 && !areUnknownIgnored)
      throw new errors.InvalidScope(`The following scopes are invalid: ${unknown.join(', ')}`, unknown.join(' '))
    if (unknown.length > 0 && typeof params?.['scope'] === 'string') params['scope'] = onlyKnown(params['scope'], scopes)
    if (params !== undefined && (params['scope'] === undefined || params['scope'] === '')) params['scope'] = 'openid'
  }

/**
 * Decides which organization the sign-in is for, once it is known who signs in and before consent shows it. A person is asked only when
 * the application wants that and there is something to choose.
 */
const organizationPrompt = (requests: EngineRequests, choose: ChooseOrganization) => {
  const prompt = new engine.Prompt(
    { name: selectOrganization, requestable: true },
    new engine.Check('organization', 'the End-User has to choose an organization', 'interaction_required', async (ctx) => {
      const { signedIn } = requests.of(ctx.req)
      const { params, result } = ctx.oidc
      if (signedIn === undefined) return engine.Check.NO_NEED_TO_PROMPT
      const chosen = result?.[selectOrganization] as { readonly organizationId: string | null } | undefined
      const organizationId = await choose(signedIn, params ?? {}, chosen?.organizationId)
      requests.of(ctx.req).organizationId = organizationId
      return organizationId === undefined
    }),
  )
  // The library would ask whoever is in one organization, or in none, too.
  prompt.checks.remove(`${selectOrganization}_prompt`)
  return prompt
}

/**
 * `id_token_hint` says who has to be signed in (OpenID Connect Core 1.0, section 3.1.2.1). The library looks only when the request begins,
 * not when somebody has signed in; the token was validated then.
 */
const isHinted = () =>
  new engine.Check('id_token_hint', 'id_token_hint and authenticated subject do not match', 'login_required', (ctx) => {
    const { params, session } = ctx.oidc
    const hint = params?.['id_token_hint']
    return typeof hint === 'string' && decodeJwt(hint).sub !== session?.accountId
  })

interface PolicyDeps {
  readonly clients: Clients
  readonly requests: EngineRequests
  /** Undefined where there are no organizations. */
  readonly chooseOrganization: ChooseOrganization | undefined
  /** True when strangers may create an account: else `prompt=create` is refused. */
  readonly isSignUpOpen: boolean
}

/**
 * When a person is asked. Sign-up and the choice of an account: when the application wants it. Login: nobody is signed in at gatehouse, or the request wants a newer sign-in. Consent: scopes nobody agreed
 * to, `prompt=consent`, and native applications at addresses that any program could claim (RFC 8252, section 8.6).
 */
export const interactionPolicy = ({ clients, requests, chooseOrganization, isSignUpOpen }: PolicyDeps) => {
  const policy = engine.base()
  if (chooseOrganization !== undefined) policy.add(organizationPrompt(requests, chooseOrganization), 1)
  // After the sign-in, which is a choice itself, and before everything that depends on who it is.
  policy.add(new engine.Prompt({ name: selectAccount, requestable: true }), 1)
  if (isSignUpOpen) policy.add(new engine.Prompt({ name: createAccount, requestable: true }), 0)
  const login = policy.get('login')
  login?.checks.remove('id_token_hint')
  login?.checks.add(isHinted())
  const consent = policy.get('consent')
  consent?.checks.remove('native_client_prompt')
  consent?.checks.add(
    new engine.Check(
      'native_client_prompt',
      'native clients require End-User interaction',
      'interaction_required',
      async (ctx) => {
        const { client, params, result } = ctx.oidc
        if (client?.applicationType !== 'native' || result?.consent !== undefined) return engine.Check.NO_NEED_TO_PROMPT
        const isClaimed = String(params?.['redirect_uri'] ?? '').startsWith('https:')
        const isTrusted = (await clients.find(client.clientId))?.skipConsent === true
        return isClaimed || isTrusted ? engine.Check.NO_NEED_TO_PROMPT : engine.Check.REQUEST_PROMPT
      },
    ),
  )
  return policy
}
