import { reactTo } from '../../core/events/record.ts'
import { periodic, sweepSeconds } from '../../core/queue.ts'
import { sweepAll } from '../../core/retention.ts'
import { type Base, type Built, defineFeature } from '../../feature.ts'
import { userEvents } from '../../identity/users/contract.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Tally } from '../../statistics/index.ts'
import type { FailureReason } from './contract.ts'
import { type SignInsConfig, signInsConfig } from './contract.ts'
import {
  createSignInFailures,
  type FailureQuery,
  type SignInFailure,
  type SignInFailures,
  type StoredFailure,
} from './service.ts'
import { ownFailures } from './store.ts'

export type { FailureQuery, FailureReason, SignInFailure, SignInFailures, StoredFailure }

interface Needs {
  readonly users: Users
  readonly tally?: Tally
}

const build = (base: Base, { signIns: config }: { readonly signIns: SignInsConfig }, { users, tally }: Needs) => {
  const signInFailures = createSignInFailures({ ...base, tally }, config)
  return {
    personalData: [ownFailures],
    api: { signInFailures },
    reactions: [
      reactTo(userEvents['user.deleted'], async (tx, { subjectId }) => {
        const user = await users.find(tx, subjectId)
        if (user !== undefined) await signInFailures.forget(tx, user)
      }),
    ],
    jobs: [{ name: 'sign-in-failures.write', everyMs: 60_000, run: signInFailures.settled, onStop: signInFailures.settled }],
    retentions: signInFailures.retentions,
    tasks: [periodic('sign-in-failures.sweep', sweepSeconds, sweepAll(signInFailures.retentions))],
  } satisfies Built
}

/** Stores failed sign-ins for `explain-sign-in`. People can sign in without this feature too. */
export const failuresFeature = defineFeature({ name: 'failures', config: { signIns: signInsConfig }, build })
