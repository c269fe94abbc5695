import type { InstanceRoles } from '../../access/roles.ts'
import { type Reaction, reactTo } from '../../core/events/record.ts'
import type { EventType } from '../../core/events/types.ts'
import { periodic, sweepSeconds } from '../../core/queue.ts'
import { retentionOfRows } from '../../core/retention.ts'
import { type Base, type Built, defineFeature } from '../../feature.ts'
import { bind, documented } from '../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../http/sign-in-outcome.ts'
import { userEvents } from '../../identity/users/contract.ts'
import type { ManagedUsers, Users } from '../../identity/users/index.ts'
import type { Mail } from '../../mail/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { UnconfirmedPasswords } from '../methods/mail-codes/index.ts'
import { passwordEvents } from '../methods/password/contract.ts'
import { recoveryCodeEvents } from '../methods/recovery-codes/contract.ts'
import { secondFactorEvents } from '../second-factors/contract.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import { sessionEvents } from '../sessions/contract.ts'
import type { Sessions } from '../sessions/index.ts'
import type { AccountMails, AddressRecovery } from '../verification/index.ts'
import { recoveryCommands } from './cli.ts'
import { recoveryContract, recoveryDocumentation, recoveryErrors, recoveryEvents } from './contract.ts'
import { createNotices } from './notices.ts'
import { restartSeconds } from './rules.ts'
import type { Recovery } from './service.ts'
import { createRecovery } from './service.ts'
import { endedBefore } from './store.ts'

const recoveryRoutes = (recovery: Recovery) =>
  bind(documented(recoveryContract, recoveryDocumentation), {
    secondFactorRecovery: (principal, { cookies }) => recovery.state(principal, cookies.pendingSignIn()),
    requestSecondFactorRecovery: (principal, { cookies }) => recovery.request(principal, cookies.pendingSignIn()),
    sendSecondFactorRecoveryCode: async (principal, { cookies }) => {
      await recovery.sendCode(principal, cookies.pendingSignIn())
      return { status: true }
    },
    completeSecondFactorRecovery: async (principal, { body, cookies }) => {
      const { user, outcome } = await recovery.complete(principal, cookies.pendingSignIn(), body.code)
      setOutcome(cookies, outcome)
      return outcome.kind === 'pending' ? twoFactorAnswer(outcome.pending) : { token: outcome.started.token, user }
    },
    cancelSecondFactorRecovery: async (principal, { body, cookies }) => {
      if (body.token === undefined) await recovery.cancel(principal, cookies.pendingSignIn())
      else await recovery.cancelByLink(principal, body.token)
      return { status: true }
    },
    adminSecondFactorRecovery: async (_, { params }) => ({ recovery: await recovery.ofUser(params.id) }),
    adminCancelSecondFactorRecovery: async (principal, { params }) => {
      await recovery.cancelOfUser(principal, params.id)
      return { success: true }
    },
  })

interface Needs {
  readonly users: Users
  readonly managedUsers: ManagedUsers
  readonly instanceRoles: InstanceRoles
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly unconfirmedPasswords: UnconfirmedPasswords
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly recovery: AddressRecovery
  readonly memberships?: Memberships
}

interface Config {
  readonly secondFactor: { readonly recoveryWaitDays: number }
}

/** Events after which a recovery wait ends, because they change the account or its password. */
const changes: readonly EventType[] = [
  passwordEvents['user.password_reset'],
  passwordEvents['user.password_changed'],
  sessionEvents['user.sessions_ended'],
  userEvents['user.email_changed'],
  userEvents['user.role_changed'],
  userEvents['user.banned'],
  secondFactorEvents['second_factor.required'],
  secondFactorEvents['second_factor.removed'],
  secondFactorEvents['second_factor.disabled'],
]

const build = (base: Base, { secondFactor: { recoveryWaitDays: waitDays } }: Config, needs: Needs) => {
  const { clock } = base
  const notices = createNotices({ ...base, ...needs, isOn: waitDays > 0 })
  const recovery = createRecovery({ ...base, ...needs, memberships: needs.memberships, notices, waitDays })
  const retention = retentionOfRows(base, 'waits for the removal of second factors', 'that have ended', () =>
    endedBefore(clock.after(-restartSeconds)),
  )
  const reactions: readonly Reaction[] = [
    ...changes.map((type) =>
      reactTo(type, async (tx, { subjectId }, { actor }) => void (await recovery.end(tx, actor, subjectId, 'account-changed'))),
    ),
    reactTo(sessionEvents['session.started'], async (tx, { subjectId, data }, { actor }) => {
      if (data.amr.includes('mfa')) await recovery.end(tx, actor, subjectId, 'second-factor')
    }),
    reactTo(recoveryCodeEvents['recovery_code.used'], async (tx, { subjectId }, { actor }) => {
      await recovery.end(tx, actor, subjectId, 'second-factor')
    }),
  ]
  return {
    withheldData: [
      { table: 'second_factor_recovery', why: 'holds a request that waits, from whoever made it; its events tell of it' },
    ],
    api: { secondFactorRecovery: recovery },
    routes: recoveryRoutes(recovery),
    reactions,
    retentions: [retention],
    tasks: [notices.task, periodic('second-factor-recovery.sweep', sweepSeconds, retention.sweep)],
    onRestore: notices.onRestore,
  } satisfies Built
}

/**
 * The last way to recover an account whose second factors are all lost. The person has to wait for days. Meanwhile, mailed notices let
 * the real owner stop the wait.
 */
export const secondFactorRecoveryFeature = defineFeature({
  name: 'second-factor-recovery',
  errors: recoveryErrors.table,
  events: recoveryEvents,
  commands: [recoveryCommands],
  build,
})
