import type { z } from 'zod'
import type { UserPrincipal } from '../../../access/principal.ts'
import type { Db } from '../../../core/db/database.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { BrowserMemory, RecoveryCodes } from '../recovery-codes/index.ts'
import type { totpContract } from './contract.ts'
import * as store from './store.ts'

type Status = z.output<(typeof totpContract)['status']['response']>

interface Deps {
  readonly db: Db
  readonly users: Pick<Users, 'require'>
  readonly secondFactors: Pick<SecondFactors, 'enrolled'>
  readonly recoveryCodes: Pick<RecoveryCodes, 'state'>
  /** Undefined if remembering browsers is disabled. */
  readonly rememberedBrowsers?: Pick<BrowserMemory, 'list'>
}

/** Shows callers their own second factors: kinds and times, without secrets and codes. */
export const createStatus =
  ({ db, users, secondFactors, recoveryCodes, rememberedBrowsers }: Deps) =>
  async (principal: UserPrincipal): Promise<Status> => {
    const { user } = principal
    const app = await store.findTotp(db, user.id)
    const { secondFactorSince, secondFactorDue } = await users.require(db, user.id)
    const enrolled = await secondFactors.enrolled(db, user)
    return {
      isEnabled: user.twoFactorEnabled,
      methods: enrolled.map(({ name }) => name),
      totpSince: app?.confirmedAt ?? null,
      recoveryCodes: (await recoveryCodes.state(db, user.id)) ?? null,
      dueAt: secondFactorSince === null ? secondFactorDue : null,
      rememberedBrowsers: (await rememberedBrowsers?.list(principal))?.length ?? 0,
    }
  }
