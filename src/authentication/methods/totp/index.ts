import type { BrandService } from '../../../brand/index.ts'
import { periodic, sweepSeconds } from '../../../core/queue.ts'
import { retentionOfRows } from '../../../core/retention.ts'
import { hourSeconds } from '../../../core/time.ts'
import { type Base, type Built, defineFeature } from '../../../feature.ts'
import { bind, documented } from '../../../http/handlers.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { Attempts } from '../../attempts/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { BrowserMemory, RecoveryCodes } from '../recovery-codes/index.ts'
import { type TotpConfig, totpConfig, totpContract, totpDocumentation, totpErrors, totpEvents } from './contract.ts'
import { createTotp, type Totp, timeOfStep, totpMethod } from './service.ts'
import { createStatus } from './status.ts'
import { deleteProven, deleteTotp, findTotp, ownApps, sealedColumns, unprovenBefore } from './store.ts'

const totpRoutes = (totp: Totp, status: ReturnType<typeof createStatus>) =>
  bind(documented(totpContract, totpDocumentation), {
    enable: async (principal, { body, cookies }) => {
      const { uri, recoveryCodes } = await totp.enable(principal, cookies.pendingSignIn(), body)
      return { method: 'totp' as const, totpURI: uri, backupCodes: [...recoveryCodes] }
    },
    getTotpUri: async (principal, { body }) => ({ totpURI: await totp.uri(principal, body.password) }),
    replace: async (principal, { body }) => ({ totpURI: await totp.replace(principal, body) }),
    confirmReplacement: async (principal, { body, cookies }) => {
      const { user, started } = await totp.confirmReplacement(principal, body.code)
      cookies.startSession(started.token, started.cookieSeconds)
      return { token: started.token, user }
    },
    verifyTotp: async (principal, { body, cookies }) => {
      const { user, started } = await totp.verify(principal, cookies.pendingSignIn(), body)
      cookies.startSession(started.token, started.cookieSeconds)
      return { token: started.token, user }
    },
    disable: async (principal, { body }) => {
      await totp.disable(principal, body.password)
      return { status: true }
    },
    status,
  })

interface Needs {
  readonly brand: BrandService
  readonly users: Users
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly recoveryCodes: RecoveryCodes
  readonly rememberedBrowsers?: BrowserMemory
}

const build = (base: Base, { totp: config }: { readonly totp: TotpConfig }, needs: Needs) => {
  const retention = retentionOfRows(base, 'authenticator apps', 'of which no code was ever proven', () =>
    unprovenBefore(base.clock.after(-hourSeconds)),
  )
  return {
    personalData: [ownApps],
    api: {},
    routes: totpRoutes(createTotp({ ...base, ...needs, config }), createStatus({ ...base, ...needs })),
    secondFactors: [
      {
        method: totpMethod,
        isEnrolled: async (db, { id }) => (await findTotp(db, id))?.confirmedAt instanceof Date,
        list: async (db, userId) => {
          const app = await findTotp(db, userId)
          if (app === undefined || app.confirmedAt === null) return []
          const lastUsedAt = app.lastStep === null ? null : timeOfStep(app.lastStep)
          return [{ id: app.id, name: null, createdAt: app.confirmedAt, lastUsedAt }]
        },
        remove: async (tx, actor, userId, id) => {
          if (!(await deleteProven(tx, userId, id))) return false
          await base.events.record(tx, actor, totpEvents['totp.disabled'], { subject: userId, data: {} })
          return true
        },
        removeAll: async (tx, userId) => void (await deleteTotp(tx, userId)),
      },
    ],
    retentions: [retention],
    tasks: [periodic('totp.sweep', sweepSeconds, retention.sweep)],
  } satisfies Built
}

/** Lets people use an authenticator app as a second factor (RFC 6238). */
export const totpFeature = defineFeature({
  name: 'totp',
  config: { totp: totpConfig },
  errors: totpErrors.table,
  events: totpEvents,
  sealedColumns,
  build,
})
