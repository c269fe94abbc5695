import { reactTo } from '../../../core/events/record.ts'
import { periodic, sweepSeconds } from '../../../core/queue.ts'
import { retentionOfRows } from '../../../core/retention.ts'
import { hourSeconds } from '../../../core/time.ts'
import { type Base, type Built, defineFeature } from '../../../feature.ts'
import { bind, documented } from '../../../http/handlers.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { Mail } from '../../../mail/index.ts'
import type { Attempts } from '../../attempts/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import { verificationEvents } from '../../verification/events.ts'
import type { AccountMails } from '../../verification/index.ts'
import { recoveryCodeContract, recoveryCodeDocumentation, recoveryCodeErrors, recoveryCodeEvents } from './contract.ts'
import { fewCodes } from './rules.ts'
import type { RecoveryCodeCalls } from './service.ts'
import { type BrowserMemory, createRecoveryCodes, type RecoveryCodes, recoveryCodeMethod } from './service.ts'
import { deleteLists, deleteListsSince, ownLists, sealedColumns, unprovenBefore } from './store.ts'

const recoveryCodeRoutes = (codes: RecoveryCodeCalls) =>
  bind(documented(recoveryCodeContract, recoveryCodeDocumentation), {
    verifyBackupCode: async (principal, { body, cookies }) => {
      const { user, left, started } = await codes.verify(principal, cookies.pendingSignIn(), body)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      return { token: started?.token ?? null, user, backupCodesLeft: left, fewBackupCodesLeft: left <= fewCodes }
    },
    generateBackupCodes: async (principal, { body }) => ({
      status: true as const,
      backupCodes: [...(await codes.generate(principal, body.password))],
    }),
  })

export type { BrowserMemory, RecoveryCodes }

interface Needs {
  readonly users: Users
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly attempts: Attempts
  readonly sessions: Sessions
  readonly rememberedBrowsers?: BrowserMemory
}

const build = (base: Base, _config: object, needs: Needs) => {
  const { clock } = base
  const created = createRecoveryCodes({ ...base, ...needs })
  const recoveryCodes: RecoveryCodes = created
  const retention = retentionOfRows(base, 'recovery codes', 'whose second factor was never proven', () =>
    unprovenBefore(clock.after(-hourSeconds)),
  )
  return {
    personalData: [ownLists],
    api: { recoveryCodes },
    routes: recoveryCodeRoutes(created),
    secondFactors: [
      {
        method: recoveryCodeMethod,
        isAlternative: true,
        isEnrolled: (db, { id }) => created.isEnrolled(db, id),
        list: created.list,
        removeAll: created.removeAll,
      },
    ],
    reactions: [
      // The owner may report that another person has acted in the account. Codes that this person has made are deleted, because the
      // person knows them.
      reactTo(verificationEvents['user.activity_reported'], async (tx, { subjectId }, { transient: { at, added } }) => {
        if (added.includes('recovery-codes')) await deleteLists(tx, subjectId)
        else if (at !== undefined) await deleteListsSince(tx, subjectId, at)
      }),
    ],
    retentions: [retention],
    tasks: [periodic('recovery-codes.sweep', sweepSeconds, retention.sweep)],
  } satisfies Built
}

/** Recovery codes, to print or store, for people who lose their second factor. They only replace another second factor. */
export const recoveryCodesFeature = defineFeature({
  name: 'recovery-codes',
  errors: recoveryCodeErrors.table,
  events: recoveryCodeEvents,
  sealedColumns,
  build,
})
