import type { z } from 'zod'
import type { Principal, SystemPrincipal } from '../access/principal.ts'
import { administratorRole } from '../access/roles.ts'
import type { Attempts } from '../authentication/attempts/index.ts'
import type { SignUp } from '../authentication/methods/password/index.ts'
import type { StartedSession } from '../authentication/sessions/index.ts'
import type { OneTimeValues } from '../authentication/verification/index.ts'
import type { Core } from '../core/core.ts'
import { sha256 } from '../core/crypto.ts'
import { lockName } from '../core/db/database.ts'
import { hourSeconds } from '../core/time.ts'
import type { User, Users } from '../identity/users/index.ts'
import { type CompleteSetup, setupErrors, setupEvents } from './contract.ts'

/** A link with which the first administrator can be created. It works once, and only its hash is stored. */
export interface SetupLink {
  readonly url: string
  readonly expiresAt: Date
}

export interface Setup {
  /** Makes a setup link. Throws ADMINISTRATOR_ALREADY_EXISTS. */
  createSetupLink(principal: SystemPrincipal): Promise<SetupLink>
  hasAdministrator(): Promise<boolean>
  /**
   * Checks whether a setup link is valid, without using it up, because mail scanners also open links. If an administrator exists, no
   * setup link is valid.
   */
  check(token: string): Promise<{ readonly valid: boolean; readonly administratorExists: boolean }>
  /**
   * Creates the first administrator and signs them in, unless a second factor is required immediately. Throws SETUP_LINK_IS_NOT_VALID,
   * ADMINISTRATOR_ALREADY_EXISTS and the errors of `users.names` and `accounts.prepare`.
   */
  complete(
    principal: Principal,
    input: z.output<typeof CompleteSetup>,
  ): Promise<{ readonly user: User; readonly started: StartedSession | undefined }>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'url' | 'events' | 'remedies'> {
  readonly users: Users
  readonly accounts: SignUp
  readonly attempts: Attempts
  readonly oneTimeValues: OneTimeValues
}

const ttlSeconds = hourSeconds
/** Length of the token in characters. 43 characters from an alphabet of 62 contain 256 bits. */
const tokenLength = 43

const identifierOf = (token: string) => `setup:${sha256(token)}`

export const createSetup = ({
  db,
  transact,
  clock,
  random,
  url,
  events,
  remedies,
  users,
  accounts,
  attempts,
  oneTimeValues,
}: Deps): Setup => {
  const hasAdministrator = () => users.hasAdministrator(db)
  const check = async (token: string) => {
    const administratorExists = await hasAdministrator()
    const valid = !administratorExists && (await oneTimeValues.find(db, identifierOf(token))) !== undefined
    return { valid, administratorExists }
  }
  const taken = () => setupErrors.error('ADMINISTRATOR_ALREADY_EXISTS')
  return {
    hasAdministrator,
    check,
    createSetupLink: async (principal) => {
      const token = random.token(tokenLength)
      const expiresAt = clock.after(ttlSeconds)
      await transact(async (tx) => {
        if (await users.hasAdministrator(tx))
          throw setupErrors.error('ADMINISTRATOR_ALREADY_EXISTS', {
            message: `Administrator already exists. Sign in at ${url}/sign-in; ${remedies.listUsersWithRole(administratorRole)} names them, and set-password replaces a lost password.`,
          })
        await oneTimeValues.insert(tx, identifierOf(token), '', expiresAt)
        await events.record(tx, principal, setupEvents['instance.setup_link_created'], { subject: 'instance', data: {} })
      })
      return { url: `${url}/setup?token=${token}`, expiresAt }
    },
    complete: async (principal, { token, name, email, password, ...given }) => {
      // The link is checked before the password is hashed, so that a request without a valid link costs almost nothing.
      const link = await check(token)
      if (link.administratorExists) throw taken()
      if (!link.valid) throw setupErrors.error('SETUP_LINK_IS_NOT_VALID')
      const names = users.names.forSignUp(given)
      const person = { name, email, password, role: administratorRole, emailVerified: true, names }
      const account = await accounts.prepare(principal, person)
      return transact(async (tx) => {
        // Several setup links can be valid. A second setup waits here for the first one, and then finds the administrator that the first
        // one has created.
        await lockName(tx, 'setup')
        if (await users.hasAdministrator(tx)) throw taken()
        if ((await oneTimeValues.consume(tx, identifierOf(token))) === undefined)
          throw setupErrors.error('SETUP_LINK_IS_NOT_VALID')
        const { user, proof } = await account.insert(tx)
        return { user, started: await attempts.startIfEnough(tx, principal, user, [proof], { rememberMe: true }) }
      })
    },
  }
}
