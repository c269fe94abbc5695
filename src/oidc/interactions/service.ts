import type { z } from 'zod'
import type { Principal, UserPrincipal } from '../../access/principal.ts'
import type { SecondFactors } from '../../authentication/second-factors/index.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import { meetsAcr } from '../../core/authentication-classes.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Memberships } from '../../organizations/index.ts'
import * as artifacts from '../artifacts/store.ts'
import { logoOf } from '../clients/application.ts'
import type { Clients } from '../clients/service.ts'
import { languageFor, shownTo, standingOf } from '../clients/shown.ts'
import type { Interaction } from '../contract.ts'
import { oidcErrors } from '../contract.ts'
import { devicePath } from '../device/codes.ts'
import type { requestedScopes } from '../engine/api-tokens.ts'
import { type ConsentConfig, type Consents, isExpired } from '../interactions/consents.ts'
import { findConsent, interactionIn, type StoredInteraction } from '../interactions/store.ts'
import { qualified } from '../resource-servers/rules.ts'
import {
  asksForOrganization,
  createAccount,
  displayHost,
  hasPrompt,
  isCovered,
  missingScopes,
  type PageOf,
  selectAccount,
  selectOrganization,
  splitScope,
  stepUp,
} from '../rules.ts'
import { methodsFor } from '../step-up/prompt.ts'
import type { ReadFacts } from '../step-up/rules.ts'

/** Interactions: the prompts that a person has to answer for an authorization request. */
export interface Interactions {
  /** The data of an interaction for the page that shows it. Throws INTERACTION_NOT_FOUND. */
  details(principal: Principal, uid: string): Promise<z.output<typeof Interaction>>
  /** The path or URL of the page at which the person continues the interaction. Throws INTERACTION_NOT_FOUND. */
  resume(principal: Principal, uid: string): Promise<string>
  /**
   * Stores the person's answer to the consent prompt, and returns the path at which the browser continues. A denial cannot be changed.
   * Until the browser continues, a denial also withdraws what the person has agreed to in this interaction. A second agreement changes
   * only the organization. Throws NO_CONSENT_PROMPT_FOUND. Throws ORGANIZATION_CANNOT_BE_CHOSEN if the person is not a member of the
   * chosen organization, or if there is no choice.
   */
  decide(principal: UserPrincipal, uid: string, decision: Decision): Promise<string>
  /** Stores that the person keeps the signed-in account. Returns the path at which the browser continues. Throws INTERACTION_NOT_FOUND. */
  selectAccount(principal: UserPrincipal, uid: string): Promise<string>
  /**
   * Stores the organization that the person has chosen for the sign-in; null for none. Returns the path at which the browser continues.
   * Throws INTERACTION_NOT_FOUND, and ORGANIZATION_CANNOT_BE_CHOSEN if the person is not a member.
   */
  choose(principal: UserPrincipal, uid: string, idOrSlug: string | null): Promise<string>
  /**
   * Stores that the person declines a further proof. Returns the path at which the browser continues. If the application requires the
   * authentication class, this cannot be changed, and the application gets the error unmet_authentication_requirements. Otherwise the
   * sign-in continues without the further proof. Throws INTERACTION_NOT_FOUND.
   */
  declineStepUp(principal: UserPrincipal, uid: string): Promise<string>
  /**
   * Stores that the person has cancelled the sign-in. A later sign-in does not change that. Returns the path at which the browser
   * continues; the application then gets access_denied. Throws INTERACTION_NOT_FOUND for a prompt that only a signed-in person may
   * answer.
   */
  cancel(uid: string): Promise<string>
  /** Returns the requested scopes to which the user has agreed. For a client that needs no consent, it returns all requested scopes. */
  agreedScopes(
    clientId: string,
    userId: string,
    requested: readonly string[],
    noteOrganizations?: (ids: readonly string[] | null) => void,
  ): Promise<readonly string[]>
}

interface Decision {
  readonly accept: boolean
  /** The organization of the sign-in: null for none. If undefined, the stored organization stays. */
  readonly organizationId?: string | null | undefined
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'url'> {
  readonly clients: Clients
  readonly consents: Consents
  readonly pageOf: PageOf
  readonly sessions: Pick<Sessions, 'authenticationOf' | 'requireAlive'>
  readonly secondFactors: Pick<SecondFactors, 'enrolled'>
  readonly readFacts: ReadFacts
  /** Undefined if organizations are disabled. */
  readonly memberships: Memberships | undefined
  /**
   * Returns the requested scopes that need consent: scopes of this server, scopes of APIs, and both kinds together under the names that a
   * consent stores.
   */
  readonly requestedScopes: (params: Readonly<Record<string, unknown>>) => ReturnType<typeof requestedScopes>
  /** Scopes whose claims other features add, such as `organizations` and `billing`. */
  readonly sourceScopes: readonly string[]
  readonly config: ConsentConfig
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const declined = 'the End-User gave no further proof, so that the authentication class that is needed is not reached'

/** The prompts that a new sign-in answers, whichever user signs in. */
const accountPrompts: ReadonlySet<string> = new Set(['login', createAccount, selectAccount])

/** The path at which the browser lets the library continue the request, of a browser or of a device. */
const resumePathOf = (uid: string, { deviceCode }: Pick<StoredInteraction, 'deviceCode'>) =>
  deviceCode === undefined ? `/oauth2/authorize/${uid}` : `${devicePath}/${uid}`

/**
 * True if this session may answer a login prompt. `provenAt` is the time of the session's last proof. A session that was started before
 * the prompt may not answer it, unless a proof was given since. The application wants a newer sign-in or another person.
 */
const answersLogin = ({ started, params }: StoredInteraction, sessionId: string, provenAt: Date, now: Date): boolean => {
  if (sessionId === started.sessionId && provenAt.getTime() <= started.at) return false
  const isNewer = provenAt.getTime() >= started.at
  if (hasPrompt(params['prompt'], 'login') && !isNewer) return false
  const maxAge = Number(params['max_age'] ?? Number.NaN)
  return Number.isNaN(maxAge) || isNewer || now.getTime() - provenAt.getTime() <= maxAge * 1000
}

const isOpen = ({ clock }: Deps, row: artifacts.ArtifactRow | undefined): row is artifacts.ArtifactRow =>
  row !== undefined && row.kind === 'Interaction' && row.expiresAt > clock.now()

const findInteraction = async (deps: Deps, uid: string): Promise<StoredInteraction> => {
  const { db } = deps
  const row = (await artifacts.findArtifact(db, sha256(uid)))?.artifact
  if (!isOpen(deps, row)) throw oidcErrors.error('INTERACTION_NOT_FOUND')
  return interactionIn(row)
}

/** Finds an interaction in which this user has to answer this prompt. Throws INTERACTION_NOT_FOUND. */
const findPrompt = async (
  deps: Deps,
  { user }: UserPrincipal,
  uid: string,
  prompt: StoredInteraction['prompt']['name'],
): Promise<StoredInteraction> => {
  const stored = await findInteraction(deps, uid)
  if (stored.prompt.name !== prompt || stored.accountId !== user.id) throw oidcErrors.error('INTERACTION_NOT_FOUND')
  return stored
}

const createAgreedScopes =
  ({ db, clients, clock, config }: Deps): Interactions['agreedScopes'] =>
  async (clientId, userId, requested, noteOrganizations) => {
    const client = await clients.find(clientId)
    if (client?.skipConsent === true) return requested
    const consent = await findConsent(db, userId, clientId)
    const isValid = consent?.consentGiven === true && !isExpired(consent, config, clock.now())
    if (isValid) noteOrganizations?.(consent.organizations)
    const agreed = isValid ? splitScope(consent.scopes) : []
    return requested.filter((scope) => agreed.includes(scope))
  }

/** True if the person can choose the organization on the page. The person cannot choose if the application names the organization. */
const hasOrganizationChoice = ({ sourceScopes }: Deps, { prompt, params }: StoredInteraction): boolean =>
  prompt.name === selectOrganization ||
  (prompt.name === 'consent' && params['organization'] === undefined && asksForOrganization(params, sourceScopes))

/** The id of the person's organization with this id or slug; null if none was named. Throws ORGANIZATION_CANNOT_BE_CHOSEN. */
const requireOwn = async ({ memberships }: Deps, on: Db, userId: string, idOrSlug: string | null): Promise<string | null> => {
  if (idOrSlug === null) return null
  const found = await memberships?.claimsOf(on, userId, idOrSlug)
  if (found === undefined) throw oidcErrors.error('ORGANIZATION_CANNOT_BE_CHOSEN')
  return found.id
}

const methodNames = async ({ db, secondFactors }: Deps, acr: string, user: UserPrincipal['user']) =>
  methodsFor(acr, await secondFactors.enrolled(db, user)).map(({ name }) => name)

/** The answer in the library's form. It names the user, so that it does not count after another user has signed in. */
const answerOf = (
  stored: StoredInteraction,
  { user }: UserPrincipal,
  more: Readonly<Record<string, unknown>> = {},
): artifacts.Payload => ({
  ...stored,
  result: {
    ...stored.lastSubmission,
    ...more,
    login: { accountId: user.id },
  },
})

/** The authentication of the caller's session. Throws INTERACTION_NOT_FOUND if the session has just ended. */
const factsOf = async ({ db, sessions, readFacts }: Deps, { session }: UserPrincipal) => {
  const authentication = await sessions.authenticationOf(db, session.id)
  if (authentication === undefined) throw oidcErrors.error('INTERACTION_NOT_FOUND')
  return readFacts(authentication, session)
}

/**
 * Calls `change` for an open interaction that waits for this user's answer to a step-up prompt. Throws INTERACTION_NOT_FOUND if there is
 * none. If the interaction is closed already, `change` is not called.
 */
const answerStepUp = async (
  deps: Deps,
  { user }: UserPrincipal,
  uid: string,
  change: (tx: Tx, id: string, stored: StoredInteraction) => Promise<unknown>,
) => {
  const { transact } = deps
  return transact(async (tx) => {
    const row = await artifacts.lockArtifact(tx, sha256(uid))
    const stored = isOpen(deps, row) ? interactionIn(row) : undefined
    if (row === undefined || stored?.prompt.name !== stepUp || stored.accountId !== user.id)
      throw oidcErrors.error('INTERACTION_NOT_FOUND')
    if (row.consumedAt === null) await change(tx, row.id, stored)
    return resumePathOf(uid, stored)
  })
}

/** Stores the answer to an interaction, unless the interaction was cancelled. */
const storeAnswer = ({ transact }: Deps, uid: string, payload: artifacts.Payload) =>
  transact((tx) => artifacts.updateOpenPayload(tx, sha256(uid), payload))

const showDetails = (deps: Deps, agreedScopes: Interactions['agreedScopes']): Interactions['details'] => {
  const { db, url, clients, pageOf, memberships } = deps
  return async (principal, uid) => {
    const stored = await findInteraction(deps, uid)
    const { prompt, params, organizationId } = stored
    const client = await clients.find(text(params['client_id']))
    if (client === undefined) throw oidcErrors.error('INTERACTION_NOT_FOUND')
    const { own: scopes, apis, all, ofOrganization } = await deps.requestedScopes(params)
    const userId = principal.kind === 'user' ? principal.user.id : undefined
    let covered: readonly string[] | null = null
    const given =
      userId === undefined
        ? []
        : await agreedScopes(client.clientId, userId, all, (ids) => {
            covered = ids
          })
    // Scopes that concern an organization need consent for that organization. If the consent does not cover it, they are all asked for.
    const agreed = isCovered(covered, organizationId ?? null) ? given : missingScopes(given, ofOrganization)
    const acr = prompt.name === stepUp ? prompt.details?.acr : undefined
    const own = userId === undefined ? undefined : memberships
    const organizations = hasOrganizationChoice(deps, stored) ? [...((await own?.listOf(db, userId ?? '')) ?? [])] : []
    return {
      uid,
      prompt: prompt.name,
      signInPage: pageOf('login', uid, params),
      client: {
        ...shownTo(principal, text(params['ui_locales']), client),
        clientId: client.clientId,
        logo: logoOf(client, url),
        redirectHost: displayHost(text(params['redirect_uri'])),
        standing: standingOf(client),
      },
      scopes: [...scopes],
      newScopes: missingScopes(scopes, agreed),
      apis: apis.map((api) => ({
        ...{ identifier: api.identifier, name: api.name },
        scopes: api.scopes.map(({ name, description, translations }) => {
          const language = languageFor(principal, text(params['ui_locales']), Object.keys(translations))
          const said = language === undefined ? undefined : translations[language]
          return { name, description: said ?? description, isNew: !agreed.includes(qualified(api.identifier, name)) }
        }),
      })),
      organization: organizationId ? ((await own?.claimsOf(db, userId ?? '', organizationId)) ?? null) : null,
      stepUp:
        acr === undefined
          ? null
          : { acr, methods: principal.kind === 'user' ? await methodNames(deps, acr, principal.user) : [] },
      organizations,
      needsOrganizationChoice: organizations.length > 0 && organizationId === undefined,
      loginHint: text(params['login_hint']) || null,
      user: principal.kind === 'user' ? { name: principal.user.name, email: principal.user.email } : null,
    }
  }
}

const resume = (deps: Deps): Interactions['resume'] => {
  const { clock, pageOf } = deps
  return async (principal, uid) => {
    const stored = await findInteraction(deps, uid)
    const page = pageOf(stored.prompt.name, uid, stored.params)
    if (principal.kind !== 'user') return stored.prompt.name === createAccount ? page : pageOf('login', uid, stored.params)
    if (stored.prompt.name === stepUp && principal.user.id === stored.accountId && stored.result?.error === undefined) {
      // The page may send a wrong answer. The authentication class is therefore compared here, and again when the library continues.
      if (!meetsAcr((await factsOf(deps, principal)).acr, stored.prompt.details?.acr ?? '')) return page
      return answerStepUp(deps, principal, uid, (tx, id, answered) =>
        artifacts.updatePayload(tx, id, answerOf(answered, principal, { [stepUp]: {} })),
      )
    }
    if (!accountPrompts.has(stored.prompt.name))
      // If another user has signed in since, the prompts are shown again.
      return principal.user.id === stored.accountId && stored.prompt.name !== stepUp ? page : resumePathOf(uid, stored)
    const { at } = await factsOf(deps, principal)
    if (!answersLogin(stored, principal.session.id, at, clock.now())) return page
    // Whoever has just signed in or signed up is not asked again which account to use.
    await storeAnswer(deps, uid, answerOf(stored, principal, { [createAccount]: {}, [selectAccount]: {} }))
    return resumePathOf(uid, stored)
  }
}

const confirmAccount =
  (deps: Deps): Interactions['selectAccount'] =>
  async (principal, uid) => {
    const stored = await findPrompt(deps, principal, uid, selectAccount)
    await storeAnswer(deps, uid, answerOf(stored, principal, { [selectAccount]: {} }))
    return resumePathOf(uid, stored)
  }

const chooseOrganization = (deps: Deps): Interactions['choose'] => {
  const { db } = deps
  return async (principal, uid, named) => {
    const stored = await findPrompt(deps, principal, uid, selectOrganization)
    const organizationId = await requireOwn(deps, db, principal.user.id, named)
    await storeAnswer(deps, uid, answerOf(stored, principal, { [selectOrganization]: { organizationId } }))
    return resumePathOf(uid, stored)
  }
}

const declineStepUp = (deps: Deps): Interactions['declineStepUp'] => {
  const { clock } = deps
  return (principal, uid) =>
    answerStepUp(deps, principal, uid, (tx, id, stored) => {
      if (stored.prompt.details?.isVoluntary === true)
        return artifacts.updatePayload(tx, id, answerOf(stored, principal, { [stepUp]: { isDeclined: true } }))
      const { result: _, ...rest } = stored
      const result = { error: 'unmet_authentication_requirements', error_description: declined }
      return artifacts.closeArtifact(tx, id, { ...rest, result }, clock.now())
    })
}

const cancelSignIn = (deps: Deps): Interactions['cancel'] => {
  const { transact, clock } = deps
  return async (uid) =>
    transact(async (tx) => {
      const row = await artifacts.lockArtifact(tx, sha256(uid))
      const stored = isOpen(deps, row) ? interactionIn(row) : undefined
      if (row === undefined || stored === undefined || !accountPrompts.has(stored.prompt.name))
        throw oidcErrors.error('INTERACTION_NOT_FOUND')
      const { result: _, ...rest } = stored
      const result = { error: 'access_denied', error_description: 'the End-User left the sign-in' }
      if (row.consumedAt === null) await artifacts.closeArtifact(tx, row.id, { ...rest, result }, clock.now())
      return resumePathOf(uid, stored)
    })
}

const decideConsent = (deps: Deps): Interactions['decide'] => {
  const { db, transact, clock, consents, sessions } = deps
  return async (principal, uid, { accept, organizationId: named }) => {
    const { id: userId } = principal.user
    const seen = (await artifacts.findArtifact(db, sha256(uid)))?.artifact
    const requested = await deps.requestedScopes(isOpen(deps, seen) ? interactionIn(seen).params : {})
    return transact(async (tx) => {
      await sessions.requireAlive(tx, principal)
      const row = await artifacts.lockArtifact(tx, sha256(uid))
      const stored = isOpen(deps, row) ? interactionIn(row) : undefined
      if (row === undefined || stored?.prompt.name !== 'consent' || stored.accountId !== userId)
        throw oidcErrors.error('NO_CONSENT_PROMPT_FOUND')
      // A denial cannot be changed. A later answer gets the response to the denial and has no effect.
      const path = resumePathOf(uid, stored)
      if (row.consumedAt !== null) return path
      const clientId = text(stored.params['client_id'])
      const { addedScopes = [] } = stored
      if (!accept) {
        if (addedScopes.length > 0) await consents.withdraw(tx, principal, clientId, addedScopes)
        const { result: _, ...rest } = stored
        const result = { error: 'access_denied', error_description: 'User denied access' }
        await artifacts.closeArtifact(tx, row.id, { ...rest, result }, clock.now())
        return path
      }
      if (named !== undefined && !hasOrganizationChoice(deps, stored)) throw oidcErrors.error('ORGANIZATION_CANNOT_BE_CHOSEN')
      const chosen = named === undefined ? undefined : await requireOwn(deps, tx, userId, named)
      // If the person has not chosen, the consent is for the organization on the page, even if another one was activated since.
      const organizationId = chosen === undefined ? stored.organizationId : chosen
      const { all: scopes, ofOrganization } = requested
      const given = { scopes, ofOrganization, organizationId: organizationId ?? null }
      const added = await consents.agree(tx, principal, clientId, given)
      const shown = organizationId === undefined ? {} : { [selectOrganization]: { organizationId } }
      const answer = answerOf(stored, principal, { consent: {}, ...shown })
      await artifacts.updatePayload(tx, row.id, { ...answer, addedScopes: [...addedScopes, ...added] })
      return path
    })
  }
}

export const createInteractions = (deps: Deps): Interactions => {
  const agreedScopes = createAgreedScopes(deps)

  return {
    agreedScopes,
    details: showDetails(deps, agreedScopes),
    resume: resume(deps),
    selectAccount: confirmAccount(deps),
    choose: chooseOrganization(deps),
    declineStepUp: declineStepUp(deps),
    cancel: cancelSignIn(deps),
    decide: decideConsent(deps),
  }
}
