import type { z } from 'zod'
import type { Caller, UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Db, Transact } from '../../core/database.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Clients } from '../clients/service.ts'
import type { Consents } from '../consents/service.ts'
import { findConsent } from '../consents/store.ts'
import type { Interaction } from '../contract.ts'
import { oidcErrors } from '../errors.ts'
import * as models from '../models/store.ts'
import {
  createAccount,
  displayHost,
  hasPrompt,
  missingScopes,
  type PageOf,
  selectAccount,
  selectOrganization,
  splitScope,
} from '../rules.ts'

/** A sign-in for an application that is under way: the library asks, a person answers. */
export interface Interactions {
  /** What the hosted page shows. Throws INTERACTION_NOT_FOUND. */
  details(caller: Caller, uid: string): Promise<z.output<typeof Interaction>>
  /** Address at which the browser goes on: a path, or a page of the operator's own elsewhere. Throws INTERACTION_NOT_FOUND. */
  resume(caller: Caller, uid: string): Promise<string>
  /**
   * Stores the person's answer; the path at which the browser goes on. A refusal is final, and takes back what was agreed to as long as the
   * browser has not gone on; agreeing again changes nothing. Throws NO_CONSENT_PROMPT_FOUND.
   */
  decide(caller: UserCaller, uid: string, accept: boolean): Promise<string>
  /** Stores that the person goes on with the account that is signed in; the path at which the browser goes on. Throws INTERACTION_NOT_FOUND. */
  selectAccount(caller: UserCaller, uid: string): Promise<string>
  /**
   * Stores for which organization the person signs in, null for none; the path at which the browser goes on. Throws INTERACTION_NOT_FOUND,
   * and ORGANIZATION_CANNOT_BE_CHOSEN when the person is not a member.
   */
  choose(caller: UserCaller, uid: string, organizationId: string | null): Promise<string>
  /** Which of the scopes the user has agreed to for the client, or all when it needs no agreement. */
  agreedScopes(clientId: string, userId: string, asked: readonly string[]): Promise<readonly string[]>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly clients: Clients
  readonly consents: Consents
  readonly pageOf: PageOf
  /** Undefined where there are no organizations. */
  readonly memberships: Memberships | undefined
}

/** What the library keeps of an authorization request, with what `adapter` adds. */
interface Stored {
  readonly prompt: { readonly name: z.output<typeof Interaction>['prompt'] }
  readonly params: Readonly<Record<string, unknown>>
  readonly lastSubmission?: Readonly<Record<string, unknown>>
  /** Who was signed in when it began. */
  readonly accountId: string | null
  /** What the sign-in is for, once that is decided. */
  readonly organizationId?: string | null
  readonly result?: unknown
  /** Scopes that the person agreed to here and not before: a refusal takes them back. */
  readonly addedScopes?: readonly string[]
  readonly began: { readonly at: number; readonly sessionId: string | null }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Prompts that a new session answers, whoever's it is. */
const aboutAccounts: ReadonlySet<string> = new Set(['login', createAccount, selectAccount])

/** Where the library takes the request up again. */
const continuation = (uid: string) => `/oauth2/authorize/${uid}`

/**
 * True when this session may answer a login prompt. The one that was there when the prompt came up may not unless it has begun anew since:
 * a prompt in spite of a live session means that the application wants a newer sign-in, or another person.
 */
const answersLogin = ({ began, params }: Stored, session: UserCaller['session'], now: Date): boolean => {
  if (session.id === began.sessionId && session.createdAt.getTime() <= began.at) return false
  const isNewer = session.createdAt.getTime() >= began.at
  if (hasPrompt(params['prompt'], 'login') && !isNewer) return false
  const maxAge = Number(params['max_age'] ?? Number.NaN)
  return Number.isNaN(maxAge) || isNewer || now.getTime() - session.createdAt.getTime() <= maxAge * 1000
}

export const createInteractions = ({ db, transact, clock, clients, consents, pageOf, memberships }: Deps): Interactions => {
  const isUnderWay = (row: models.ModelRow | undefined): row is models.ModelRow =>
    row !== undefined && row.kind === 'Interaction' && row.expiresAt > clock.now()

  const find = async (uid: string): Promise<Stored> => {
    const row = (await models.findModel(db, sha256(uid)))?.model
    if (!isUnderWay(row)) throw oidcErrors.refuse('INTERACTION_NOT_FOUND')
    return row.payload as unknown as Stored
  }

  /** The sign-in under way, if this is what it asks, and asks the caller. */
  const findAsked = async ({ user }: UserCaller, uid: string, prompt: Stored['prompt']['name']): Promise<Stored> => {
    const stored = await find(uid)
    if (stored.prompt.name !== prompt || stored.accountId !== user.id) throw oidcErrors.refuse('INTERACTION_NOT_FOUND')
    return stored
  }

  const agreedScopes = async (clientId: string, userId: string, asked: readonly string[]): Promise<readonly string[]> => {
    const client = await clients.find(clientId)
    if (client?.skipConsent === true) return asked
    const consent = await findConsent(db, userId, clientId)
    const agreed = consent?.consentGiven === true ? splitScope(consent.scopes) : []
    return asked.filter((scope) => agreed.includes(scope))
  }

  /** The answer as the library reads it. The user is named in each, so that nobody else's session can go on with it. */
  const answerOf = (
    stored: Stored,
    { user, session }: UserCaller,
    more: Readonly<Record<string, unknown>> = {},
  ): models.Payload => ({
    ...stored,
    result: {
      ...stored.lastSubmission,
      ...more,
      login: { accountId: user.id, ts: Math.floor(session.createdAt.getTime() / 1000) },
    },
  })

  const store = (uid: string, payload: models.Payload) => transact((tx) => models.updatePayload(tx, sha256(uid), payload))

  return {
    agreedScopes,
    details: async (caller, uid) => {
      const { prompt, params, organizationId } = await find(uid)
      const client = await clients.find(text(params['client_id']))
      if (client === undefined) throw oidcErrors.refuse('INTERACTION_NOT_FOUND')
      const scopes = splitScope(text(params['scope']))
      const userId = caller.kind === 'user' ? caller.user.id : undefined
      const agreed = userId === undefined ? [] : await agreedScopes(client.clientId, userId, scopes)
      const [asksOrganization, own] = [prompt.name === selectOrganization, userId === undefined ? undefined : memberships]
      return {
        uid,
        prompt: prompt.name,
        signInPage: pageOf('login', uid, params),
        client: {
          clientId: client.clientId,
          name: client.name,
          redirectHost: displayHost(text(params['redirect_uri'])),
          uri: client.uri,
          policyUri: client.policyUri,
          tosUri: client.tosUri,
        },
        scopes,
        newScopes: missingScopes(scopes, agreed),
        organization: organizationId ? ((await own?.claimsOf(db, userId ?? '', organizationId)) ?? null) : null,
        organizations: asksOrganization ? [...((await own?.listOf(db, userId ?? '')) ?? [])] : [],
        loginHint: text(params['login_hint']) || null,
        user: caller.kind === 'user' ? { name: caller.user.name, email: caller.user.email } : null,
      }
    },

    resume: async (caller, uid) => {
      const stored = await find(uid)
      const page = pageOf(stored.prompt.name, uid, stored.params)
      if (caller.kind !== 'user') return stored.prompt.name === createAccount ? page : pageOf('login', uid, stored.params)
      if (!aboutAccounts.has(stored.prompt.name))
        // Somebody else has signed in meanwhile: the library asks the questions anew.
        return caller.user.id === stored.accountId ? page : continuation(uid)
      if (!answersLogin(stored, caller.session, clock.now())) return page
      // Whoever has signed in or up just now has chosen the account with that.
      await store(uid, answerOf(stored, caller, { [createAccount]: {}, [selectAccount]: {} }))
      return continuation(uid)
    },

    selectAccount: async (caller, uid) => {
      const stored = await findAsked(caller, uid, selectAccount)
      await store(uid, answerOf(stored, caller, { [selectAccount]: {} }))
      return continuation(uid)
    },

    choose: async (caller, uid, organizationId) => {
      const stored = await findAsked(caller, uid, selectOrganization)
      if (organizationId !== null && (await memberships?.claimsOf(db, caller.user.id, organizationId))?.id !== organizationId)
        throw oidcErrors.refuse('ORGANIZATION_CANNOT_BE_CHOSEN')
      await store(uid, answerOf(stored, caller, { [selectOrganization]: { organizationId } }))
      return continuation(uid)
    },

    decide: async (caller, uid, accept) => {
      const { id: userId } = caller.user
      await transact(async (tx) => {
        const row = await models.lockModel(tx, sha256(uid))
        const stored = isUnderWay(row) ? (row.payload as unknown as Stored) : undefined
        if (row === undefined || stored?.prompt.name !== 'consent' || stored.accountId !== userId)
          throw oidcErrors.refuse('NO_CONSENT_PROMPT_FOUND')
        // Refused is refused: whatever comes later has the same answer and no effect.
        if (row.consumedAt !== null) return
        const clientId = text(stored.params['client_id'])
        const { addedScopes = [] } = stored
        if (!accept) {
          if (addedScopes.length > 0) await consents.withdraw(tx, userId, clientId, addedScopes)
          const { result: _, ...rest } = stored
          const result = { error: 'access_denied', error_description: 'User denied access' }
          await models.closeModel(tx, row.id, { ...rest, result }, clock.now())
          return
        }
        const added = await consents.agree(tx, userId, clientId, splitScope(text(stored.params['scope'])))
        // What the page showed is what is agreed to, whatever becomes active meanwhile.
        const { organizationId } = stored
        const shown = organizationId === undefined ? {} : { [selectOrganization]: { organizationId } }
        const answer = answerOf(stored, caller, { consent: {}, ...shown })
        await models.updatePayload(tx, row.id, { ...answer, addedScopes: [...addedScopes, ...added] })
      })
      return continuation(uid)
    },
  }
}
