import type { z } from 'zod'
import type { Principal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import { lockRow } from '../../../core/db/database.ts'
import { AppError, type ErrorDetails } from '../../../core/errors.ts'
import type { User, Users } from '../../../identity/users/index.ts'
import type { Attempts, ContinuedAttempt, Outcome } from '../../attempts/index.ts'
import type { SignInFailure, SignInFailures } from '../../failures/index.ts'
import type { BrowserMemory } from '../recovery-codes/index.ts'
import type { Challenges } from './challenges.ts'
import type { PasskeysConfig } from './config.ts'
import { passkeyErrors, passkeyEvents, type RequestOptions } from './contract.ts'
import { type CallingBrowser, descriptorOf } from './registration.ts'
import { isCounterBack, methodOf, type RelyingParty } from './rules.ts'
import * as store from './store.ts'
import { type Assertion, CeremonyError, checkAssertion, readClientData, type Signed, verifyAssertion } from './webauthn.ts'

/** Signs in with a passkey: without a user name, as the second factor of a sign-in, or to prove identity again in a session. */
export interface PasskeyAuthentication {
  /**
   * Returns the options with which the browser asks for a passkey. They list the passkeys of the user of the pending sign-in or session.
   * If that user has none, or with `anyone`, every passkey is accepted. The options never depend on a typed mail address.
   */
  options(
    principal: Principal,
    browser: CallingBrowser,
    anyone: boolean,
  ): Promise<{ readonly options: z.output<typeof RequestOptions>; readonly binding: string }>
  /**
   * Accepts the signature of a passkey as a proof. With `trustDevice`, this browser is remembered after a second step and needs no second
   * factor for a while. Throws CHALLENGE_NOT_FOUND, AUTHENTICATION_FAILED, USER_VERIFICATION_REQUIRED, INVALID_TWO_FACTOR_COOKIE, and the
   * refusals of the policy. Throws PASSKEY_NOT_FOUND if the passkey is unknown or another key has signed.
   */
  verify(
    principal: Principal,
    browser: CallingBrowser,
    response: Assertion,
    choices: Choices,
  ): Promise<{ readonly user: User; readonly outcome: Outcome }>
}

interface Choices {
  readonly rememberMe?: boolean | undefined
  readonly trustDevice?: boolean | undefined
}

interface Deps extends Core {
  readonly config: PasskeysConfig
  readonly party: RelyingParty
  readonly users: Users
  readonly attempts: Attempts
  readonly challenges: Challenges
  /** Undefined if failed attempts are not stored. */
  readonly signInFailures?: SignInFailures
  readonly rememberedBrowsers?: BrowserMemory
}

type Reason = SignInFailure['reason']
type Code = keyof typeof passkeyErrors.table

/** A refusal with details that only operators see. The browser gets an error without them. */
class Refusal extends Error {
  readonly reason: Reason
  readonly error: AppError
  readonly userId: string | undefined
  readonly detail: string | undefined
  constructor(reason: Reason, code: Code, about: { userId?: string; detail?: string; error?: ErrorDetails<401> } = {}) {
    super(code)
    this.reason = reason
    this.error = passkeyErrors.error(code, about.error)
    this.userId = about.userId
    this.detail = about.detail
  }
}

export const createPasskeyAuthentication = (deps: Deps): PasskeyAuthentication => {
  const { db, transact, clock, events, security, config, party, users, attempts, challenges } = deps
  const { signInFailures, rememberedBrowsers } = deps

  const requireEnabled = () => {
    if (!config.enabled) throw passkeyErrors.error('PASSKEYS_ARE_NOT_ENABLED')
  }

  /** Opens the pending sign-in or the caller's session. Undefined if there is neither. */
  const openIfAny = async (principal: Principal, pendingToken: string | undefined): Promise<ContinuedAttempt | undefined> => {
    if (pendingToken === undefined && principal.kind !== 'user') return undefined
    return attempts.open(principal, pendingToken).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'INVALID_TWO_FACTOR_COOKIE') return undefined
      throw error
    })
  }

  const unreadable = (error: unknown): Error =>
    error instanceof CeremonyError
      ? new Refusal('passkey-page', 'AUTHENTICATION_FAILED', { detail: error.message })
      : (error as Error)

  const challengeIn = (response: Assertion): string => {
    try {
      return readClientData(response).challenge
    } catch (error) {
      throw unreadable(error)
    }
  }

  /**
   * Checks page, domain and signature. The check takes equally long for known and unknown passkeys. A wrong signature gets the error for
   * an unknown passkey.
   */
  const checkSignature = async (response: Assertion): Promise<{ passkey: store.PasskeyRow; signed: Signed }> => {
    await checkAssertion(response, party).catch((error: unknown) => {
      throw unreadable(error)
    })
    const passkey = await store.findByCredentialId(db, response.id)
    const signed = await verifyAssertion(response, passkey?.publicKey, party)
    if (passkey === undefined || signed === undefined) {
      const about = { ...(passkey === undefined ? {} : { userId: passkey.userId }), error: { status: 401 as const } }
      throw new Refusal(passkey === undefined ? 'passkey-unknown' : 'passkey-signature', 'PASSKEY_NOT_FOUND', about)
    }
    return { passkey, signed }
  }

  /** Checks that the passkey belongs to the user of the attempt and is strong enough for it. */
  const checkUse = async (
    principal: Principal,
    { response }: Assertion,
    { passkey, signed }: { passkey: store.PasskeyRow; signed: Signed },
    attempt: ContinuedAttempt | undefined,
  ) => {
    const { userId, counter: stored } = passkey
    const { userHandle } = response
    const handle = Buffer.from(userId).toString('base64url')
    // Without a pending sign-in or session, the authenticator has to name the user (Web Authentication, section 7.2, step 6).
    const isNamed = attempt === undefined ? userHandle === handle : userHandle == null || userHandle === handle
    if (!isNamed || (attempt !== undefined && attempt.user.id !== userId))
      throw new Refusal('passkey-user', 'AUTHENTICATION_FAILED', { userId: attempt?.user.id ?? userId })
    if (isCounterBack(stored, signed.counter)) {
      const data = { passkeyId: passkey.id, counter: signed.counter, stored }
      const type = passkeyEvents['user.passkey_refused']
      await transact((tx) => events.record(tx, principal, type, { subject: userId, data }))
      throw new Refusal('passkey-counter', 'AUTHENTICATION_FAILED', { userId })
    }
    if (attempt === undefined && !signed.userVerified)
      throw new Refusal('passkey-unverified', 'USER_VERIFICATION_REQUIRED', { userId })
  }

  const authenticate = async (
    principal: Principal,
    { pendingToken, binding }: CallingBrowser,
    response: Assertion,
    { rememberMe = true, trustDevice = false }: Choices,
  ) => {
    const challenge = await challenges.take('authentication', challengeIn(response), binding)
    if (challenge === undefined) throw new Refusal('passkey-challenge', 'CHALLENGE_NOT_FOUND')
    const attempt = challenge.userId === null ? undefined : await attempts.open(principal, pendingToken)
    if (attempt !== undefined && attempt.user.id !== challenge.userId)
      throw new Refusal('passkey-user', 'AUTHENTICATION_FAILED', { userId: attempt.user.id })
    const checked = await checkSignature(response)
    await checkUse(principal, response, checked, attempt)
    const { passkey, signed } = checked
    return transact(async (tx) => {
      const { userId } = passkey
      await lockRow(tx, 'user', userId)
      const user = await users.find(tx, userId)
      const { counter, backedUp } = signed
      const userVerified = passkey.userVerified || signed.userVerified
      const isThere = await store.recordUse(tx, passkey, { counter, backedUp, userVerified, lastUsedAt: clock.now() })
      // The passkey was removed meanwhile, or a simultaneous use of it has changed its counter.
      if (user === undefined || !isThere) throw new Refusal('passkey-unknown', 'PASSKEY_NOT_FOUND', { error: { status: 401 } })
      const isNew = principal.kind === 'user' && principal.session.id === passkey.sessionId && attempt?.origin !== 'pending'
      const method = isNew ? { ...methodOf(signed), isNew } : methodOf(signed)
      const outcome =
        attempt === undefined
          ? await attempts.concludeWith(tx, principal, user, [attempts.proof(method, userId)], { rememberMe })
          : await attempts.conclude(tx, principal, attempts.add(attempt, method), user, attempt)
      if (trustDevice && attempt !== undefined && outcome.kind === 'session')
        await rememberedBrowsers?.remember(tx, principal, userId)
      return { user, outcome }
    })
  }

  return {
    options: async (principal, { pendingToken, binding }, anyone) => {
      requireEnabled()
      const attempt = anyone ? undefined : await openIfAny(principal, pendingToken)
      const passkeys = attempt === undefined ? [] : await store.listByUser(db, attempt.user.id)
      const userId = passkeys[0]?.userId ?? null
      const issued = await challenges.issue({ kind: 'authentication', userId, isConditional: false }, binding)
      const options = {
        challenge: issued.challenge,
        rpId: party.id,
        timeout: config.timeoutSeconds * 1000,
        userVerification: userId === null ? ('required' as const) : ('preferred' as const),
        ...(userId === null ? {} : { allowCredentials: passkeys.map(descriptorOf) }),
      }
      return { options, binding: issued.binding }
    },

    verify: async (principal, browser, response, choices) => {
      requireEnabled()
      try {
        return await authenticate(principal, browser, response, choices)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const { reason, error: answer, userId, detail } = error
        security(principal, 'sign-in.failed', { userId: userId ?? null, code: answer.code })
        signInFailures?.record(
          principal,
          { method: 'passkey', reason, code: answer.code, userId, detail: { why: detail } },
          answer,
        )
        throw answer
      }
    },
  }
}
