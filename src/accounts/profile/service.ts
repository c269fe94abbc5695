import type { z } from 'zod'
import type { UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import type { Db, Transact } from '../../core/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { inLanguageOf } from '../../core/language.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { User, Users } from '../../users/index.ts'
import { askerOf } from '../asker.ts'
import type { AccountsConfig } from '../config.ts'
import { requireEmail } from '../email.ts'
import { accountErrors } from '../errors.ts'
import type { Notices, Outbox } from '../notices.ts'
import { isFresh } from '../rules.ts'
import { findCredential } from '../store.ts'
import type { Verification } from '../verification.ts'
import type { VerificationTokens } from '../verification-token.ts'
import type { UpdateUser } from './contract.ts'

export interface Profile {
  /** Throws EMAIL_CAN_NOT_BE_UPDATED, FAILED_TO_UPDATE_USER, and VALIDATION_ERROR for configured fields. */
  update(caller: UserCaller, input: z.output<typeof UpdateUser>): Promise<void>
  /** Throws SESSION_IS_NOT_FRESH without a recent sign-in by password. Changes an unverified address at once; else mails the current one, and the change happens when that link is followed. */
  changeEmail(caller: UserCaller, newEmail: string, callbackURL: string | undefined): Promise<void>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly users: Users
  readonly mail: Outbox
  readonly notices: Notices
  readonly tokens: VerificationTokens
  readonly verification: Verification
  readonly sessions: Pick<Sessions, 'passwordAt'>
  readonly clock: Clock
  readonly config: AccountsConfig
}

export const createProfile = (deps: Deps): Profile => {
  const { db, transact, users, mail, notices, tokens, verification, sessions, clock, config } = deps

  /** Whoever holds a session by theft or at an open desk does not know the password. */
  const requireRecentPassword = async ({ user, session }: UserCaller) => {
    const hasPassword = config.emailPasswordEnabled && (await findCredential(db, user.id))?.password != null
    const createdAt = hasPassword ? await sessions.passwordAt(db, session.id) : session.createdAt
    const ageSeconds = config.changeEmailPasswordSeconds
    if (ageSeconds > 0 && (createdAt === undefined || !isFresh({ createdAt }, clock.now(), ageSeconds)))
      throw coreErrors.refuse('SESSION_IS_NOT_FRESH')
  }

  const askCurrentAddress = async (caller: UserCaller, user: User, newEmail: string, callbackURL = '/') => {
    const { id: userId, email, emailVersion } = user
    const token = await tokens.create({ userId, email, emailVersion, updateTo: newEmail })
    const message = notices.changeEmail(user, newEmail, token, callbackURL, config.verificationTtlSeconds, askerOf(caller))
    await transact((tx) => mail.enqueue(tx, message))
  }

  return {
    update: async (caller, input) => {
      const { name, image, language, email } = input
      if (email) throw accountErrors.refuse('EMAIL_CAN_NOT_BE_UPDATED')
      const fields = users.fields.forUpdate(input)
      const patch = {
        ...(name === undefined ? {} : { name }),
        ...(image === undefined ? {} : { image }),
        ...(language === undefined ? {} : { language }),
        ...(Object.keys(fields).length === 0 ? {} : { fields }),
      }
      if (Object.keys(patch).length === 0) return
      if (!(await transact((tx) => users.update(tx, caller.user.id, patch)))) throw accountErrors.refuse('FAILED_TO_UPDATE_USER')
    },

    changeEmail: async (caller, address, callbackURL) => {
      if (!config.changeEmailEnabled) throw accountErrors.refuse('CHANGE_EMAIL_IS_DISABLED')
      await requireRecentPassword(caller)
      const newEmail = requireEmail(address)
      if (newEmail === caller.user.email) throw accountErrors.refuse('EMAIL_IS_THE_SAME')
      if ((await users.findByEmail(db, newEmail)) !== undefined) throw accountErrors.refuse('COULDNT_UPDATE_YOUR_EMAIL')
      const found = await users.find(db, caller.user.id)
      if (found === undefined) throw accountErrors.refuse('COULDNT_UPDATE_YOUR_EMAIL')
      const user = inLanguageOf(caller, found)
      if (!user.emailVerified) await verification.changeEmail(caller, user, newEmail, callbackURL)
      else if (!config.verificationMailEnabled) throw accountErrors.refuse('VERIFICATION_EMAIL_ISNT_ENABLED')
      else await askCurrentAddress(caller, user, newEmail, callbackURL)
    },
  }
}
