import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { SecondFactors } from '../../authentication/second-factors/index.ts'
import { type Acr, acrValues, meetsAcr } from '../../core/authentication-classes.ts'
import type { AuthenticationMethod } from '../../core/second-factors.ts'
import type { Clients } from '../clients/service.ts'
import type { ProviderRequests } from '../engine/requests.ts'
import { stepUp } from '../rules.ts'
import { answeredClass, askedClasses, classOf, wantedClass } from './rules.ts'

/** Tells which authentication classes users can reach with the factors of this installation. */
export const createReachable =
  (secondFactors: Pick<SecondFactors, 'available'>) =>
  (acr: Acr): boolean => {
    const methods = secondFactors.available()
    if (acr === acrValues[0]) return true
    return acr === acrValues[1] ? methods.length > 0 : methods.some(({ isPhishingResistant }) => isPhishingResistant === true)
  }
export type IsReachable = ReturnType<typeof createReachable>

/** The methods with which a person whose session has one factor can reach the authentication class. */
export const methodsFor = (acr: string, enrolled: readonly AuthenticationMethod[]): readonly AuthenticationMethod[] =>
  enrolled.filter(({ isPhishingResistant, raisesNoAcr }) =>
    acr === acrValues[2] ? isPhishingResistant === true : raisesNoAcr !== true,
  )

/**
 * The error for an authentication class that was not reached (OpenID Connect Core Unmet Authentication Requirements 1.0). An application
 * that gets it can continue in another way.
 */
const unmet = (description: string) => new errors.UnmetAuthenticationRequirements(description)

/**
 * Called before the person signs in. Refuses an essential authentication class that nobody can reach on this server. Throws
 * unmet_authentication_requirements.
 */
export const requireReachable = ({ oidc: { params = {} } }: KoaContextWithOIDC, isReachable: IsReachable): void => {
  if (wantedClass(askedClasses(params), [], isReachable) === null)
    throw unmet(`none of the essential classes can be reached; there are ${acrValues.filter(isReachable).join(' ')}`)
}

/** True if the person has declined a further proof that was optional. */
const isDeclined = (result: Readonly<Record<string, unknown>> | undefined): boolean =>
  (result?.[stepUp] as { readonly isDeclined?: boolean } | undefined)?.isDeclined === true

interface Deps {
  readonly clients: Clients
  readonly requests: ProviderRequests
  readonly isReachable: IsReachable
}

/**
 * Asks a signed-in person for a further proof of identity if the application, the organization or the request needs a higher
 * authentication class than the session has. The prompt is repeated until the session has that class, whatever the page sends. A class in
 * `acr_values` is optional: the person is asked once, and the class is ignored if no prompt is possible (OpenID Connect Core 1.0, section
 * 3.1.2.1).
 */
export const stepUpPrompt = ({ clients, requests, isReachable }: Deps) => {
  const { Check, Prompt } = interactionPolicy
  const check = new Check(
    'authentication_class',
    'the End-User has to give a further proof for the authentication class',
    // The error for a request that must not show a page. The application then repeats the request so that a page may be shown (OpenID
    // Connect Core 1.0, section 3.1.2.6).
    'login_required',
    async (ctx) => {
      const request = requests.of(ctx.req)
      const { params = {}, client, session } = ctx.oidc
      if (request.signedIn === undefined) return Check.NO_NEED_TO_PROMPT
      const { authentication, session: current } = request.signedIn
      // `organizationNeedsTwoFactors` was set by the choice of the organization.
      const isForOrganization = request.organizationNeedsTwoFactors && current.factors < 2
      const lists = askedClasses(params)
      const { requireAcr = null } = (await clients.find(client?.clientId ?? '')) ?? {}
      const required = [...(requireAcr === null ? [] : [classOf(requireAcr)]), ...(isForOrganization ? [acrValues[1]] : [])]
      const needed = wantedClass(
        lists.filter(({ isEssential }) => isEssential),
        required,
        isReachable,
      )
      const isMet = (acr: Acr | undefined) => acr === undefined || meetsAcr(authentication.acr, acr)
      Object.assign(session ?? {}, { acr: answeredClass(authentication.acr, lists) })
      if (needed === null || (!isMet(needed) && needed !== undefined && !isReachable(needed)))
        throw unmet('nobody can reach the authentication class that is needed at present')
      if (!isMet(needed) && current.impersonatedBy !== null)
        throw unmet('an administrator who acts as somebody cannot reach the authentication class that is needed')
      const wanted = wantedClass(lists, required, isReachable) ?? undefined
      const cannotBeAsked = current.impersonatedBy !== null || ctx.oidc.prompts.has('none') || isDeclined(ctx.oidc.result)
      if (isMet(wanted) || (isMet(needed) && cannotBeAsked)) return Check.NO_NEED_TO_PROMPT
      request.wantedAcr = wanted
      request.isProofVoluntary = isMet(needed)
      return Check.REQUEST_PROMPT
    },
    ({ req }) => {
      const { wantedAcr: acr, isProofVoluntary: isVoluntary } = requests.of(req)
      return { acr, isVoluntary }
    },
  )
  return new Prompt({ name: stepUp, requestable: false }, check)
}
