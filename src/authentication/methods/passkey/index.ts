import type { BrandService } from '../../../brand/index.ts'
import { periodic, sweepSeconds } from '../../../core/queue.ts'
import type { SecondFactor } from '../../../core/second-factors.ts'
import { type Base, type Built, defineFeature } from '../../../feature.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { Attempts } from '../../attempts/index.ts'
import type { SignInFailures } from '../../failures/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { BrowserMemory } from '../recovery-codes/index.ts'
import { createPasskeyAuthentication } from './authentication.ts'
import { createChallenges } from './challenges.ts'
import { passkeyChecks } from './checks.ts'
import { type PasskeysConfig, passkeysConfig } from './config.ts'
import { passkeyErrors, passkeyEvents } from './contract.ts'
import { createPasskeys, type Passkeys, type ShownPasskey } from './management.ts'
import { createRegistration } from './registration.ts'
import { challengeCookieOf, passkeyRoutes } from './routes.ts'
import { methodOf, rpIdProblem } from './rules.ts'
import { deleteKind, deletePasskey, listByUser, ownPasskeys } from './store.ts'

export type { Passkeys, ShownPasskey }

interface Config {
  readonly passkeys: PasskeysConfig
  readonly accounts: { readonly unlinkingAllAllowed: boolean }
}

interface Needs {
  readonly brand: BrandService
  readonly users: Users
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly sessions: Sessions
  readonly signInFailures?: SignInFailures
  readonly rememberedBrowsers?: BrowserMemory
}

/**
 * Defines a kind of second factor: passkeys, which verify their user, or security keys, which do not. Pages show the two kinds under
 * different names.
 */
const secondFactor = (userVerified: boolean, isEnabled: boolean, { events }: Pick<Base, 'events'>): SecondFactor => ({
  isOff: !isEnabled,
  method: methodOf({ userVerified, backupEligible: false }),
  isEnrolled: async (db, { id }) => isEnabled && (await listByUser(db, id)).some((one) => one.userVerified === userVerified),
  list: async (db, userId) => (await listByUser(db, userId)).filter((one) => one.userVerified === userVerified),
  remove: async (tx, actor, userId, passkeyId) => {
    if (!(await deletePasskey(tx, userId, passkeyId))) return false
    await events.record(tx, actor, passkeyEvents['user.passkey_removed'], { subject: userId, data: { passkeyId } })
    return true
  },
  removeAll: async (tx, userId) => void (await deleteKind(tx, userId, userVerified)),
})

const build = (base: Base, { passkeys: config, accounts }: Config, needs: Needs) => {
  const { origin, hostname } = new URL(base.url)
  const party = {
    id: config.rpId ?? hostname,
    get name() {
      return config.rpName ?? needs.brand.current().name
    },
    origins: [...new Set([origin, ...config.origins])],
  }
  const seconds = config.timeoutSeconds
  const challenges = createChallenges({ ...base, seconds })
  const shared = { ...base, ...needs, config, party, challenges }
  const passkeys: Passkeys = createPasskeys({ ...shared, isEnabled: config.enabled, lastMayGo: accounts.unlinkingAllAllowed })
  return {
    personalData: [ownPasskeys],
    access: { passkey_challenge: 'waiting passkeys' },
    withheldData: [{ table: 'passkey_challenge', why: 'holds what a sign-in or change under way needs, for minutes' }],
    api: { passkeys },
    routes: passkeyRoutes({
      ...{ db: base.db, passkeys, party, seconds, cookie: challengeCookieOf(base, seconds) },
      ...{ isEnabled: config.enabled, page: `${base.url}/account/linked` },
      registration: createRegistration(shared),
      authentication: createPasskeyAuthentication(shared),
    }),
    secondFactors: [secondFactor(true, config.enabled, base), secondFactor(false, config.enabled, base)],
    checks: passkeyChecks({ ...base, ...needs, isEnabled: config.enabled }),
    guards: {
      signInMethods: passkeys.countWaysIn,
      // A passkey works only with the RP id for which it was created, so after a change of the RP id none can sign in.
      signsIn: async (db, userId, changes) => !changes('passkeys.rpId') && (await passkeys.countWaysIn(db, userId)) > 0,
    },
    retentions: [challenges.retention],
    tasks: [periodic('passkeys.sweep', sweepSeconds, challenges.retention.sweep)],
  } satisfies Built
}

/** Signs in with passkeys and security keys (Web Authentication, level 3). */
export const passkeyFeature = defineFeature({
  name: 'passkey',
  config: { passkeys: passkeysConfig },
  check: ({ passkeys, url, port }: CheckedConfig, fail) => {
    const host = URL.parse(url ?? `http://localhost:${port}`)?.hostname
    const problem = passkeys.rpId === undefined || host === undefined ? undefined : rpIdProblem(passkeys.rpId, host)
    if (problem !== undefined) fail(['passkeys', 'rpId'], problem)
  },
  errors: passkeyErrors.table,
  events: passkeyEvents,
  build,
})

interface CheckedConfig {
  readonly passkeys: PasskeysConfig
  readonly url?: string | undefined
  readonly port: number
}
