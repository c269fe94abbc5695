import type { z } from 'zod'
import { can } from '../../../access/can.ts'
import type { Principal } from '../../../access/principal.ts'
import type { RequireProof } from '../../../access/proof.ts'
import type { Core } from '../../../core/core.ts'
import { lockRow, uniqueViolation } from '../../../core/db/database.ts'
import { coreErrors } from '../../../core/errors.ts'
import { asUser } from '../../../core/events/record.ts'
import { nameFrom } from '../../../core/wire.ts'
import type { User, Users } from '../../../identity/users/index.ts'
import type { Attempts, ContinuedAttempt, Outcome } from '../../attempts/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import { authenticatorName } from './authenticators.ts'
import type { Challenges } from './challenges.ts'
import type { PasskeysConfig } from './config.ts'
import { type CreationOptions, type passkeyContract, passkeyErrors, passkeyEvents } from './contract.ts'
import { isSecondFactorAlone, methodOf, type RelyingParty } from './rules.ts'
import * as store from './store.ts'
import {
  algorithms,
  CeremonyError,
  type MadePasskey,
  type NewCredential,
  readClientData,
  verifyNewCredential,
} from './webauthn.ts'

/** Two cookies of the calling browser: the token of its pending sign-in, and the value to which challenges are bound. */
export interface CallingBrowser {
  readonly pendingToken: string | undefined
  readonly binding: string | undefined
}

export interface Registration {
  /**
   * Returns the options with which the browser creates a passkey. The caller needs a session with a recent proof, or a pending sign-in
   * that has to add a second factor. Throws UNAUTHORIZED, FORBIDDEN, SESSION_IS_NOT_FRESH and TOO_MANY_PASSKEYS_REMOVE_ONE_FIRST.
   */
  options(
    principal: Principal,
    browser: CallingBrowser,
    input: z.output<typeof passkeyContract.generateRegisterOptions.query>,
  ): Promise<{ readonly options: z.output<typeof CreationOptions>; readonly binding: string }>
  /**
   * Stores a new passkey. The passkey counts as a proof in the session or sign-in, except if the browser has created it without asking
   * the person. Throws the errors of `options`, CHALLENGE_NOT_FOUND, YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY,
   * FAILED_TO_VERIFY_REGISTRATION and PREVIOUSLY_REGISTERED.
   */
  verify(
    principal: Principal,
    browser: CallingBrowser,
    response: NewCredential,
    name: string | undefined,
  ): Promise<{ readonly passkey: store.PasskeyRow; readonly user: User; readonly outcome: Outcome | undefined }>
}

interface Deps extends Core {
  readonly config: PasskeysConfig
  readonly party: RelyingParty
  readonly requireProof: RequireProof
  readonly users: Users
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly sessions: Pick<Sessions, 'deviceOf' | 'requireAlive'>
  readonly challenges: Challenges
}

export const createRegistration = (deps: Deps): Registration => {
  const { db, transact, clock, random, events, security, config, party, requireProof } = deps
  const { users, attempts, secondFactors, sessions, challenges } = deps

  /** Finds the owner of the new passkey: the user of a pending sign-in that has to add a second factor, or the user of the session. */
  const open = async (principal: Principal, pendingToken: string | undefined): Promise<ContinuedAttempt> => {
    if (!config.enabled) throw passkeyErrors.error('PASSKEYS_ARE_NOT_ENABLED')
    if (pendingToken !== undefined) {
      const pending = await attempts.open(principal, pendingToken)
      if (pending.origin === 'pending' && pending.mustEnrol) return pending
    }
    if (principal.kind === 'anonymous') throw coreErrors.error('UNAUTHORIZED')
    if (principal.kind !== 'user' || !can(principal, 'identities:update')) throw coreErrors.error('FORBIDDEN')
    await requireProof(principal, 'add-passkey')
    return attempts.open(principal, undefined)
  }

  const requireRoom = (passkeys: readonly store.PasskeyRow[]) => {
    if (passkeys.length >= config.maxPerUser) throw passkeyErrors.error('TOO_MANY_PASSKEYS_REMOVE_ONE_FIRST')
  }

  /** Calls `work`. If the browser's response is invalid, logs the reason and throws FAILED_TO_VERIFY_REGISTRATION. */
  const check = async <T>(principal: Principal, userId: string, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CeremonyError)) throw error
      security(principal, 'request.refused', { userId, code: 'FAILED_TO_VERIFY_REGISTRATION', detail: error.message })
      throw passkeyErrors.error('FAILED_TO_VERIFY_REGISTRATION')
    }
  }

  const rowOf = (made: MadePasskey, userId: string, name: string): store.PasskeyRow => ({
    ...{ id: random.id(), userId, name, ...made, createdAt: clock.now(), lastUsedAt: null, sessionId: null },
  })

  const browserName = ({ userAgent }: Principal) => {
    const device = sessions.deviceOf(userAgent)
    return (device.startsWith('Unknown') ? undefined : nameFrom(device)) ?? 'Passkey'
  }

  return {
    options: async (principal, { pendingToken, binding }, { authenticatorAttachment, name, conditional }) => {
      const { user } = await open(principal, pendingToken)
      const passkeys = await store.listByUser(db, user.id)
      requireRoom(passkeys)
      const isConditional = conditional === 'true'
      const issued = await challenges.issue({ kind: 'registration', userId: user.id, isConditional }, binding)
      const options = {
        challenge: issued.challenge,
        rp: { id: party.id, name: party.name },
        // All passkeys of an account have the same user handle. If an authenticator has a passkey of the account already, the new passkey
        // replaces it.
        user: { id: Buffer.from(user.id).toString('base64url'), name: name ?? user.email, displayName: user.name },
        pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' as const })),
        timeout: config.timeoutSeconds * 1000,
        attestation: 'none' as const,
        excludeCredentials: passkeys.map(descriptorOf),
        authenticatorSelection: {
          residentKey: isConditional ? ('required' as const) : ('preferred' as const),
          requireResidentKey: isConditional,
          userVerification: 'preferred' as const,
          ...(authenticatorAttachment === undefined ? {} : { authenticatorAttachment }),
        },
        extensions: { credProps: true as const },
      }
      return { options, binding: issued.binding }
    },

    verify: async (principal, { pendingToken, binding }, response, name) => {
      const opened = await open(principal, pendingToken)
      const { id } = opened.user
      const data = await check(principal, id, () => readClientData(response))
      const challenge = await challenges.take('registration', data.challenge, binding)
      if (challenge === undefined) throw passkeyErrors.error('CHALLENGE_NOT_FOUND')
      if (challenge.userId !== id) throw passkeyErrors.error('YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY')
      const { isConditional } = challenge
      const made = await check(principal, id, () => verifyNewCredential(response, party, { isConditional }))
      const row = rowOf(made, id, name ?? authenticatorName(made.aaguid) ?? browserName(principal))
      const work = transact(async (tx) => {
        // The lock lets simultaneous registrations run one after the other. Otherwise both could pass the limit, or both could count as
        // the user's first second factor.
        await lockRow(tx, 'user', id)
        const before = await users.require(tx, id)
        // If the session has ended meanwhile, no passkey is added, not even a passkey that does not count as a proof.
        if (opened.origin === 'session') await sessions.requireAlive(tx, principal)
        // Another browser may have added a second factor meanwhile. This sign-in then has to prove that factor.
        if (opened.origin === 'pending' && before.secondFactorSince !== null) throw coreErrors.error('UNAUTHORIZED')
        requireRoom(await store.listByUser(tx, id))
        await store.insertPasskey(tx, row)
        const attempt = attempts.add(opened, { ...methodOf(made), isNew: true })
        const outcome = isConditional ? undefined : await attempts.conclude(tx, principal, attempt, before, opened)
        const sessionId = outcome?.kind === 'session' ? outcome.started.session.id : opened.sessionId
        const actor = outcome?.kind === 'session' ? asUser(principal, id, outcome.started.session.id) : principal
        if (sessionId !== undefined) await store.setSession(tx, row.id, sessionId)
        // `changed` ends sessions of the user. It is called after the new session has started, and spares that session.
        await secondFactors.changed(tx, actor, id, !isConditional && isSecondFactorAlone(made) ? 'on' : undefined)
        const user = await users.require(tx, id)
        const { aaguid, userVerified, backedUp } = made
        const facts = {
          passkeyId: row.id,
          aaguid,
          isUserVerified: userVerified,
          isBackedUp: backedUp,
          isByBrowser: isConditional,
        }
        await events.record(tx, actor, passkeyEvents['user.passkey_added'], { subject: id, data: facts })
        return { passkey: row, user, outcome }
      })
      return work.catch((error: unknown) => {
        throw uniqueViolation(error) === undefined ? error : passkeyErrors.error('PREVIOUSLY_REGISTERED')
      })
    },
  }
}

/** Names a passkey in the options for the browser. */
export const descriptorOf = ({ credentialId, transports }: Pick<store.PasskeyRow, 'credentialId' | 'transports'>) => ({
  id: credentialId,
  type: 'public-key' as const,
  ...(transports.length === 0 ? {} : { transports: [...transports] }),
})
