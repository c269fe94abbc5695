import { reactTo } from '../../core/events/record.ts'
import { inLanguageOf } from '../../core/language.ts'
import { createMailTexts, type MailTexts } from '../../core/mail-texts.ts'
import { checkTexts, type TextsConfig, withOwnTexts } from '../../core/own-texts.ts'
import { periodic, sweepSeconds } from '../../core/queue.ts'
import { sweepAll } from '../../core/retention.ts'
import { daySeconds } from '../../core/time.ts'
import { type Base, type Built, defineFeature } from '../../feature.ts'
import type { Credentials, Identities } from '../../identity/identities/index.ts'
import { userEvents } from '../../identity/users/contract.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { Mail, MailSamples } from '../../mail/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import { sessionEvents } from '../sessions/contract.ts'
import type { Sessions } from '../sessions/index.ts'
import {
  type AddressClaim,
  type AddressClaims,
  type ClaimAccount,
  createAddressClaims,
  createClaimAccount,
} from './account-claim.ts'
import { type AccountMails, createAccountMails } from './account-mails.ts'
import { accountMailSamples } from './account-samples.ts'
import { type AddressRecovery, createAddressRecovery } from './address-recovery.ts'
import { createEmailChange } from './change-email.ts'
import { type VerificationConfig, verificationErrors, verificationSettings } from './contract.ts'
import { verificationEvents } from './events.ts'
import { type Answer, createMailRequests, type MailRequests } from './mail-requests.ts'
import type { WayInChange } from './notice-mails.ts'
import { createNotices, type Notices, type WayIn } from './notices.ts'
import {
  createOneTimeTokens,
  createOneTimeValues,
  type OneTimeTokens,
  type OneTimeValues,
  tokenRetention,
} from './one-time-tokens.ts'
import { verificationRoutes } from './routes.ts'
import { createVerification, type Verification, type Verified } from './service.ts'
import { createSignedLinks, type SignedLinks } from './signed-links.ts'

export type {
  AccountMails,
  AddressClaim,
  AddressClaims,
  AddressRecovery,
  ClaimAccount,
  MailRequests,
  Notices,
  OneTimeTokens,
  OneTimeValues,
  SignedLinks,
  Verification,
  Verified,
  WayIn,
  WayInChange,
}

interface Config extends TextsConfig {
  readonly accounts: VerificationConfig & { readonly emailPasswordEnabled: boolean; readonly passwordResetEnabled: boolean }
}

interface Needs {
  readonly users: Users
  readonly sessions: Sessions
  readonly secondFactors: SecondFactors
  readonly attempts: Attempts
  readonly identities: Identities
  readonly credentials: Credentials
  readonly mail: Mail
  readonly mailSamples: MailSamples
  readonly mailTexts: MailTexts
}

/** The functions for other features: mailed links, tokens and mails. */
export interface VerificationApi {
  readonly verification: Verification
  readonly accountMails: AccountMails
  readonly claimAccount: ClaimAccount
  readonly addressClaims: AddressClaims
  readonly links: SignedLinks
  readonly tokens: OneTimeTokens
  readonly oneTimeValues: OneTimeValues
  readonly requests: MailRequests
  readonly recovery: AddressRecovery
  readonly notices: Notices
}

/**
 * Seconds for which a notice can be answered. A week is enough for people who read their mail after a weekend. The link of a notice gives
 * nobody a session or a password.
 */
const reportSeconds = 7 * daySeconds

const build = (base: Base, { accounts: config, ...textsConfig }: Config, needs: Needs) => {
  const deps = { ...base, ...needs, config }
  const { users, mail } = needs
  const isResetOn = config.emailPasswordEnabled && config.passwordResetEnabled
  const texts = withOwnTexts(textsConfig, 'account', needs.mailTexts('account'))
  const accountMails = createAccountMails(base.url, texts, isResetOn)
  needs.mailSamples.offer(
    accountMailSamples(base.url, texts, {
      verification: config.verificationTtlSeconds,
      reset: config.resetTtlSeconds,
      deletion: config.deletionTtlSeconds,
      addressRecovery: config.addressRecoveryTtlSeconds,
      notice: reportSeconds,
    }),
  )
  const claimAccount = createClaimAccount(deps)
  const links = createSignedLinks({ ...deps, accountMails, ttlSeconds: config.verificationTtlSeconds })
  const tokens = createOneTimeTokens({
    ...deps,
    ttlSeconds: {
      reset: config.resetTtlSeconds,
      recovery: config.resetTtlSeconds,
      deletion: config.deletionTtlSeconds,
      report: reportSeconds,
    },
  })
  const recovery = createAddressRecovery({ ...deps, claimAccount, accountMails, ttlSeconds: config.addressRecoveryTtlSeconds })

  const verificationMail: Answer = async (user, callbackURL, requester) => {
    if (user.emailVerified) return undefined
    const message = await links.verificationMail(user, requester, callbackURL)
    return async (tx) => void (await mail.enqueue(tx, message))
  }
  const resetMail: Answer =
    async (user: User, redirectTo = '/reset-password', requester) =>
    async (tx) => {
      // Other people can use up the limit of mails for this mail address. Each link that they request still reaches the owner. A mail is
      // therefore left out only while an earlier link is valid.
      const isDue = user.emailVerified && !(await tokens.hasValid(tx, 'reset', user.id))
      const token = await tokens.issue(tx, 'reset', user)
      const message = accountMails.resetPassword(user, token, redirectTo, tokens.ttlSeconds.reset, { ...requester, isDue })
      if (!(await mail.enqueue(tx, message))) await tokens.withdraw(tx, 'reset', token)
    }
  const requests = createMailRequests({ ...deps, answers: { reset: resetMail, verification: verificationMail } })

  const emailChange = createEmailChange({ ...deps, accountMails, links, recovery })
  const verification = createVerification({ ...deps, links, requests, emailChange })
  const notices = createNotices({ ...deps, tokens, accountMails, resetMail, isResetOn })
  const retentions = [tokenRetention(deps), requests.retention, recovery.retention]

  const api: VerificationApi = {
    verification,
    accountMails,
    claimAccount,
    addressClaims: createAddressClaims({ ...base, claimAccount, release: recovery.release }),
    links,
    tokens,
    oneTimeValues: createOneTimeValues(base),
    requests,
    recovery,
    notices,
  }
  return {
    access: { verification: 'mailed links' },
    withheldData: [
      { table: 'verification', why: 'holds hashes of mailed links and codes, until they are used or expire' },
      { table: 'address_recovery', why: 'holds hashes of mailed links and codes, until they are used or expire' },
    ],
    api,
    routes: verificationRoutes(verification, emailChange, notices, base.trustedUrls),
    jobs: [
      // Requests to this node are answered at once. Requests that another node has received but not answered are found within half a
      // minute.
      { name: 'verification.requests', everyMs: 30_000, run: requests.run, onStart: requests.onRequest },
    ],
    retentions,
    tasks: [periodic('verification.sweep', sweepSeconds, sweepAll(retentions))],
    onRestore: requests.onRestore,
    reactions: [
      // An administrator has changed the mail address. A thief may read the former mailbox, so the notice to it has no recovery link, and
      // earlier recovery links are deleted. If users change their own mail address, `change-email.ts` sends the notice.
      reactTo(userEvents['user.email_changed'], async (tx, { subjectId, actorId, occurredAt }, { actor, transient }) => {
        if (!transient.isByOperator) return
        if (actorId !== subjectId) await recovery.withdrawAll(tx, subjectId)
        const user = await users.require(tx, subjectId)
        const former = { ...user, email: transient.formerEmail }
        await mail.enqueue(
          tx,
          accountMails.emailChanged(inLanguageOf(actor, former), transient.newEmail, {
            at: occurredAt,
            isByAdministrator: true,
          }),
        )
      }),
      // The row of the user still exists when this reaction runs. The mail is sent after the deletion.
      reactTo(userEvents['user.deleted'], async (tx, { subjectId, occurredAt }, { actor }) => {
        const user = await users.require(tx, subjectId)
        // A former owner may have lost the account by a change of its mail address. The former owner's recovery link ends with the
        // account, so the former address gets a mail too.
        for (const email of new Set([user.email, ...(await recovery.openAddresses(tx, subjectId))]))
          await mail.enqueue(tx, accountMails.accountDeleted({ ...inLanguageOf(actor, user), email }, occurredAt))
      }),
      reactTo(sessionEvents['session.started'], async (tx, { subjectId, address, occurredAt, data }, { actor }) => {
        const user = data.isNewDevice && config.newDeviceMail ? await users.find(tx, subjectId) : undefined
        if (user === undefined) return
        const used = { device: data.device, address, at: occurredAt }
        await notices.send(tx, user, (link) => accountMails.newDevice(inLanguageOf(actor, user), used, link))
      }),
    ],
  } satisfies Built
}

/** Verifies mail addresses, and mails the links for resetting a password and for deleting an account. */
export const verificationFeature = defineFeature({
  name: 'verification',
  config: { accounts: verificationSettings },
  check: (config: TextsConfig, fail) => checkTexts(config, 'account', createMailTexts()('account'), fail),
  errors: verificationErrors.table,
  events: verificationEvents,
  build,
})
