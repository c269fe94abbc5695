import type { z } from 'zod'
import type { Accounts } from '../accounts/index.ts'
import type { Caller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import { sha256 } from '../core/crypto.ts'
import type { Db, Transact } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import type { Sessions, StartedSession } from '../sessions/index.ts'
import type { User, Users } from '../users/index.ts'
import type { CompleteSetup } from './contract.ts'
import { setupErrors } from './errors.ts'
import * as store from './store.ts'

/** A link that makes the first administrator, once. Only its hash is stored. */
export interface SetupLink {
  readonly url: string
  readonly expiresAt: Date
}

export interface Setup {
  /** Throws ADMINISTRATOR_ALREADY_EXISTS. */
  createSetupLink(): Promise<SetupLink>
  hasAdministrator(): Promise<boolean>
  /** Consumes nothing: mail scanners open links too. Where there is an administrator no link is good. */
  check(token: string): Promise<{ readonly valid: boolean; readonly administratorExists: boolean }>
  /** Creates the first administrator and signs them in. Throws SETUP_LINK_IS_NOT_VALID, ADMINISTRATOR_ALREADY_EXISTS and what `accounts.prepare` throws. */
  complete(
    caller: Caller,
    input: z.output<typeof CompleteSetup>,
  ): Promise<{ readonly user: User; readonly started: StartedSession }>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly url: string
  readonly users: Users
  readonly accounts: Accounts
  readonly sessions: Sessions
}

const ttlSeconds = 3_600
/** 43 characters of 62 are 256 bits. */
const tokenLength = 43

export const createSetup = ({ db, transact, clock, entropy, url, users, accounts, sessions }: Deps): Setup => {
  const hasAdministrator = () => users.hasAdministrator(db)
  const check = async (token: string) => {
    const administratorExists = await hasAdministrator()
    const valid = !administratorExists && (await store.isLinkValid(db, sha256(token), clock.now()))
    return { valid, administratorExists }
  }
  const taken = () => setupErrors.refuse('ADMINISTRATOR_ALREADY_EXISTS')
  return {
    hasAdministrator,
    check,
    createSetupLink: async () => {
      const token = entropy.token(tokenLength)
      const expiresAt = clock.after(ttlSeconds)
      await transact(async (tx) => {
        if (await users.hasAdministrator(tx))
          throw setupErrors.refuse('ADMINISTRATOR_ALREADY_EXISTS', {
            message: `Administrator already exists. Sign in at ${url}/sign-in; a lost password is replaced with: gatehouse set-password --user <address>`,
          })
        await store.insertLink(tx, entropy.id(), sha256(token), expiresAt, clock.now())
      })
      return { url: `${url}/setup?token=${token}`, expiresAt }
    },
    complete: async (caller, { token, name, email, password }) => {
      // Asked before the password is hashed: a stranger without a link costs nothing.
      const link = await check(token)
      if (link.administratorExists) throw taken()
      if (!link.valid) throw setupErrors.refuse('SETUP_LINK_IS_NOT_VALID')
      const account = await accounts.prepare(caller, { name, email, password, role: 'admin', emailVerified: true })
      return transact(async (tx) => {
        // Two links may be open: whoever comes second sees the administrator that the first one made.
        await store.lockSetup(tx)
        if (await users.hasAdministrator(tx)) throw taken()
        if (!(await store.consumeLink(tx, sha256(token), clock.now()))) throw setupErrors.refuse('SETUP_LINK_IS_NOT_VALID')
        const user = await account.insert(tx)
        return { user, started: await sessions.start(tx, caller, user.id, { rememberMe: true, byPassword: true }) }
      })
    },
  }
}
