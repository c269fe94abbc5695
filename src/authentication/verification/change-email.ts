import type { UserPrincipal } from '../../access/principal.ts'
import type { RequireProof } from '../../access/proof.ts'
import type { Core } from '../../core/core.ts'
import { lockRow } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { inLanguageOf } from '../../core/language.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { AccountMails, Outbox } from './account-mails.ts'
import type { AddressRecovery } from './address-recovery.ts'
import type { VerificationConfig } from './contract.ts'
import { verificationErrors } from './contract.ts'
import type { SignedLinks } from './signed-links.ts'

export interface EmailChange {
  /**
   * Changes an unverified mail address at once. If the present address is verified, a link that makes the change is mailed to it. Throws
   * the errors of `RequireProof`.
   */
  request(principal: UserPrincipal, newEmail: string, callbackURL: string | undefined): Promise<void>
  /**
   * Gives a user another mail address, and mails the notices about it. Throws COULDNT_UPDATE_YOUR_EMAIL. Throws UNAUTHORIZED if the
   * session has ended.
   */
  apply(principal: UserPrincipal, user: User, newEmail: string, callbackURL: string | undefined): Promise<User>
}

interface Deps extends Core {
  readonly users: Users
  readonly sessions: Sessions
  readonly requireProof: RequireProof
  readonly mail: Outbox
  readonly accountMails: AccountMails
  readonly links: SignedLinks
  readonly recovery: AddressRecovery
  readonly config: VerificationConfig
}

export const createEmailChange = (deps: Deps): EmailChange => {
  const { db, transact, clock, users, sessions, requireProof, mail, accountMails, links, recovery, config } = deps

  const apply: EmailChange['apply'] = async (principal, user, newEmail, callbackURL) => {
    const next = { ...user, email: newEmail, emailVersion: user.emailVersion + 1 }
    const verification = config.verificationMailEnabled
      ? await links.verificationMail(next, accountMails.requesterOf(principal), callbackURL)
      : undefined
    return transact(async (tx) => {
      await lockRow(tx, 'user', user.id)
      // If the session has ended meanwhile, the mail address must not be changed.
      if ((await sessions.ownerOf(tx, principal.session.id)) !== user.id)
        throw coreErrors.error('UNAUTHORIZED', { message: 'unauthorized' })
      const before = (await users.find(tx, user.id)) ?? user
      if ((await users.changeEmail(tx, principal, user.id, user, newEmail)) !== 'changed')
        throw verificationErrors.error('COULDNT_UPDATE_YOUR_EMAIL')
      if (verification !== undefined) await mail.enqueue(tx, verification)
      const token = await recovery.issue(tx, before)
      const notice = token === undefined ? undefined : { token, ttlSeconds: recovery.ttlSeconds }
      await mail.enqueue(
        tx,
        accountMails.emailChanged(user, newEmail, { place: sessions.placeOf(principal), at: clock.now() }, notice),
      )
      return (await users.find(tx, user.id)) ?? next
    })
  }

  return {
    apply,
    request: async (principal, address, callbackURL) => {
      if (!config.changeEmailEnabled) throw verificationErrors.error('CHANGE_EMAIL_IS_DISABLED')
      await requireProof(principal, 'change-address')
      const newEmail = users.requireEmail(address)
      if (newEmail === principal.user.email) throw verificationErrors.error('EMAIL_IS_THE_SAME')
      if ((await users.findByEmail(db, newEmail)) !== undefined) throw verificationErrors.error('COULDNT_UPDATE_YOUR_EMAIL')
      const found = await users.find(db, principal.user.id)
      if (found === undefined) throw verificationErrors.error('COULDNT_UPDATE_YOUR_EMAIL')
      const user = inLanguageOf(principal, found)
      if (!user.emailVerified) return void (await apply(principal, user, newEmail, callbackURL))
      if (!config.verificationMailEnabled) throw verificationErrors.error('VERIFICATION_EMAIL_ISNT_ENABLED')
      const message = await links.changeMail(user, newEmail, accountMails.requesterOf(principal), callbackURL)
      await transact((tx) => mail.enqueue(tx, message))
    },
  }
}
