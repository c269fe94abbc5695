import type { z } from 'zod'
import { isBanned } from '../../access/ban.ts'
import { systemPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Credentials, Identities } from '../../identity/identities/index.ts'
import type { User } from '../../identity/users/index.ts'
import type { Oidc } from '../../oidc/index.ts'
import type { Attempts, AuthenticationMethod } from '../attempts/index.ts'
import type { Passkeys } from '../methods/passkey/index.ts'
import type { ExplainedAccount, SignInObstacle, SignInVerdict } from './contract.ts'
import type { createFurtherFactors } from './further-factors.ts'
import { say } from './verdict-texts.ts'

type Account = z.output<typeof ExplainedAccount>
type Obstacle = z.output<typeof SignInObstacle>
type Verdict = z.output<typeof SignInVerdict>

/** The settings that decide whether people can sign in and sign up. */
export interface SignInRules {
  readonly emailPasswordEnabled: boolean
  readonly signUpEnabled: boolean
}

interface Deps extends Pick<Core, 'db' | 'clock' | 'remedies'> {
  readonly attempts: Attempts
  readonly credentials: Credentials
  readonly identities: Identities
  readonly rules: SignInRules
  /** The ids of the enabled identity providers. */
  readonly providers: readonly string[]
  readonly oidc: Pick<Oidc, 'clients'> | undefined
  readonly passkeys: Pick<Passkeys, 'countWaysIn'> | undefined
  readonly furtherFactors: ReturnType<typeof createFurtherFactors>
}

type Client = NonNullable<Awaited<ReturnType<Oidc['clients']['find']>>>

/** Finds the outcome that a sign-in would have now. It depends on the account, its sign-in methods, the limits and the application. */
export interface Verdicts {
  accountOf(user: User): Promise<Account>
  of(user: User, account: Account, client: string | undefined): Promise<Verdict>
  /** The outcome for a mail address without an account. */
  ofUnknownAddress(email: string): Verdict
}

const password: AuthenticationMethod = { name: 'password', amr: ['pwd'], factors: ['knowledge'] }
const federated: AuthenticationMethod = { name: 'federated', amr: [], factors: ['knowledge'] }

/** A caller with a browser that has not signed in to the account before. */
const anyBrowser = systemPrincipal('')

export const createVerdicts = (deps: Deps): Verdicts => {
  const { db, clock, remedies, attempts, credentials, identities, rules, providers, oidc, passkeys, furtherFactors } = deps
  /** The decision of the sign-in policy if the user gives a correct proof by this method. */
  const decisionOf = (user: User, method: AuthenticationMethod) =>
    attempts.decide(db, anyBrowser, { kind: 'sign-in', userId: user.id, proofs: [attempts.proof(method, user.id)] }, user)
  const refusalOf = async (user: User, method: AuthenticationMethod): Promise<'banned' | 'email-not-verified' | undefined> => {
    const decision = await decisionOf(user, method)
    if (decision.kind !== 'refusal' || decision.reason === 'proofs-of-different-users') return undefined
    return decision.reason
  }

  const banOf = (user: User): Obstacle => ({
    ...(user.banExpiresAt === null ? say('banned') : say('banned-until', { until: user.banExpiresAt.toISOString() })),
    rule: 'BANNED_USER',
    remedy: remedies.unbanUser(user.email),
  })

  const ofPassword = async (user: User, account: Account): Promise<readonly Obstacle[]> => {
    const remedy = remedies.setPassword(user.email)
    if (!rules.emailPasswordEnabled) return [{ ...say('password-off'), rule: 'accounts.emailPasswordEnabled', remedy: null }]
    if (!account.hasPassword) return [{ ...say('no-password'), rule: 'INVALID_EMAIL_OR_PASSWORD', remedy }]
    if ((await refusalOf(user, password)) === 'email-not-verified')
      return [
        {
          ...say('not-verified'),
          rule: 'accounts.requireEmailVerification',
          remedy: remedies.listFailedMails(),
        },
      ]
    return []
  }

  /** What follows after the correct password. `isClosed` means that the user needs a second factor and has none that can be used. */
  const ofSecondStep = async (user: User): Promise<{ readonly isClosed: boolean; readonly obstacles: readonly Obstacle[] }> => {
    const decision = await decisionOf(user, password)
    const byRule = user.secondFactorDue === null ? 'user.twoFactorEnabled' : 'secondFactor.requiredFor'
    const rule = user.secondFactorRequired ? 'require-factor' : byRule
    if (decision.kind === 'enrolment-needed') {
      return { isClosed: false, obstacles: [{ ...say('must-add-factor'), rule, remedy: remedies.listFactors(user.email) }] }
    }
    if (decision.kind !== 'another-proof-needed') return { isClosed: false, obstacles: [] }
    const isClosed = decision.methods.length === 0
    const said = isClosed
      ? say('no-factor-open')
      : say('factor-asked', { named: decision.methods.join(' or '), ways: decision.methods.join(', ') })
    const remedy = isClosed ? remedies.createRecoveryLink(user.email, '--second-factor') : remedies.listFactors(user.email)
    return { isClosed, obstacles: [{ ...said, rule, remedy }] }
  }

  const ofProviders = ({ providers: linked }: Account): readonly Obstacle[] =>
    linked
      .filter((id) => !providers.includes(id))
      .map((id) => ({ ...say('provider-off', { provider: id }), rule: `social.${id}`, remedy: remedies.checkConfig() }))

  const ofLimits = async (user: User): Promise<readonly Obstacle[]> => {
    const remedy = remedies.setPassword(user.email)
    return (await attempts.throttleState(db, user)).map(({ scope, failures, until }) => ({
      ...(until === null
        ? say(scope === 'all' ? 'all-locked' : 'some-locked', { failures })
        : say(scope === 'all' ? 'all-wait' : 'one-waits', { failures, until: until.toISOString() })),
      rule: until === null ? 'accounts.guessing.resetAfter' : 'accounts.guessing.freeAttempts',
      remedy,
    }))
  }

  const ofClient = (clientId: string | undefined, client: Client | undefined): readonly Obstacle[] => {
    if (clientId === undefined || oidc === undefined) return []
    if (client === undefined)
      return [{ ...say('application-unknown', { clientId }), rule: 'invalid_client', remedy: remedies.listClients() }]
    if (!client.disabled) return []
    const remedy = remedies.enableClient(clientId)
    return [{ ...say('application-disabled', { clientId }), rule: 'client.disabled', remedy }]
  }

  return {
    accountOf: async (user) => {
      const { id, email, name, role, emailVerified, banReason } = user
      const banned = isBanned(user, clock.now())
      return {
        ...{ id, email, name, role, emailVerified, banned },
        banReason: banned ? banReason : null,
        banExpires: banned ? user.banExpiresAt : null,
        hasPassword: (await credentials.find(db, id)) !== undefined,
        passkeys: (await passkeys?.countWaysIn(db, id)) ?? 0,
        providers: [...new Set(await identities.providersOf(db, id))],
      }
    },

    of: async (user, account, clientId) => {
      const client = clientId === undefined ? undefined : await oidc?.clients.find(clientId)
      const atClient = ofClient(clientId, client)
      if ((await refusalOf(user, federated)) === 'banned') {
        const ban = banOf(user)
        const { text, code, values } = ban
        return { outcome: 'cannot-sign-in', text, code, values, obstacles: [ban, ...atClient] }
      }
      const [byPassword, byProviders] = [await ofPassword(user, account), ofProviders(account)]
      const second = byPassword.length === 0 ? await ofSecondStep(user) : { isClosed: false, obstacles: [] }
      const limits = byPassword.length === 0 ? await ofLimits(user) : []
      const usable = [...(account.passkeys > 0 ? ['passkey'] : []), ...account.providers.filter((id) => providers.includes(id))]
      const further = [...second.obstacles, ...(await furtherFactors(user, client))]
      const obstacles = [...byPassword, ...further, ...limits, ...byProviders, ...atClient]
      if (atClient.length > 0) return { outcome: 'cannot-sign-in', ...say('application-closed'), obstacles }
      const ways = [...(byPassword.length === 0 && !second.isClosed ? ['password'] : []), ...usable]
      if (ways.length === 0) return { outcome: 'cannot-sign-in', ...say('no-way-open'), obstacles }
      const isForAll = limits.some(({ code }) => code.startsWith('all-'))
      if (usable.length === 0 && limits.length > 0)
        return {
          outcome: 'must-wait',
          ...say(isForAll ? 'others-wait' : 'some-wait'),
          obstacles,
        }
      const names: Readonly<Record<string, string>> = { password: 'the password', passkey: 'a passkey' }
      const named = ways.map((way) => names[way] ?? way).join(' or ')
      return { outcome: 'can-sign-in', ...say('can-sign-in', { named, ways: ways.join(', ') }), obstacles }
    },

    ofUnknownAddress: (email) => {
      const isOpen = rules.emailPasswordEnabled && rules.signUpEnabled
      const remedy = remedies.createUser(email)
      const rule = isOpen ? 'INVALID_EMAIL_OR_PASSWORD' : 'accounts.signUpEnabled'
      const said = say(isOpen ? 'no-account-open' : 'no-account-closed')
      return { outcome: 'no-account', ...said, obstacles: [{ ...say('no-account'), rule, remedy }] }
    },
  }
}
