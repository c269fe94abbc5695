import { z } from 'zod'
import { type AppError, coreErrors } from '../../../core/errors.ts'
import { lineInput } from '../../../core/wire.ts'
import { userErrors } from '../contract.ts'
import type { UserNamesConfig } from './config.ts'
import { isReservedName, nameProblem, normalizeName } from './rules.ts'

/** The columns with a user's name. */
export interface StoredName {
  /** The normalized user name. No two users have the same one. */
  readonly username: string | null
  /** The user name as the user spells it, or another text that is displayed in its place. */
  readonly displayUsername: string | null
}

/** The user name that a call sets. If a member is absent, its column does not change. */
export interface GivenName extends Partial<StoredName> {
  /** The user name as it was typed. */
  readonly typed?: string
}

const none: StoredName = { username: null, displayUsername: null }

/** Longest text that can be displayed as a user name. */
const longestDisplayed = 100

const Given = z.object({
  username: z.string().max(1_000).nullish(),
  displayUsername: lineInput(longestDisplayed).nullish(),
})

/** Reads and checks user names. If `accounts.userNames` does not enable them, names in calls are ignored. */
export interface UserNames {
  readonly isOn: boolean
  /** Throws USER_NAMES_ARE_NOT_ENABLED on an instance without user names. */
  requireOn(): void
  /** The error for a user name that somebody has or that is reserved. */
  taken(): AppError
  /** The normalized form of a user name that is searched. Undefined for text that cannot be a user name. */
  lookedFor(text: string): string | undefined
  /**
   * The normalized form of a user name, for a sign-in or for the check whether a name is free. Throws USERNAME_TOO_SHORT,
   * USERNAME_TOO_LONG and INVALID_USERNAME, all with status 422.
   */
  require(text: string): string
  /** True if nobody can have this normalized user name. */
  isReserved(name: string): boolean
  /**
   * Reads the user name from the body of a sign-up. Throws USERNAME_TOO_SHORT, USERNAME_TOO_LONG, INVALID_USERNAME and
   * INVALID_DISPLAY_USERNAME. Throws USERNAME_IS_ALREADY_TAKEN for a reserved name, and VALIDATION_ERROR if a name is required but
   * missing.
   */
  forSignUp(body: Readonly<Record<string, unknown>>): StoredName
  /** Reads the name of a user that an operator creates. A name is never required here. Throws the errors of `forSignUp`. */
  forNewUser(body: Readonly<Record<string, unknown>>): StoredName
  /** Reads the user name from a change. Throws the errors of `forSignUp`, also for null if a name is required. */
  forUpdate(body: Readonly<Record<string, unknown>>): GivenName
  /**
   * The columns after a change. Throws USERNAME_IS_IMMUTABLE if the configuration forbids users to change their name and the user makes
   * the change.
   */
  change(stored: StoredName, given: GivenName, isOwn: boolean): StoredName
  /** The user name as answers show it. */
  read(stored: StoredName): Partial<StoredName>
}

export const createUserNames = (config: UserNamesConfig): UserNames => {
  const isOn = config.mode !== 'off'
  const taken = () => userErrors.error('USERNAME_IS_ALREADY_TAKEN')
  const isReserved = (name: string) => isReservedName(name, config.reserved)

  const parse = (body: Readonly<Record<string, unknown>>): GivenName => {
    const parsed = Given.safeParse({ username: body['username'], displayUsername: body['displayUsername'] })
    if (!parsed.success) {
      const isDisplayed = parsed.error.issues.every(({ path: [field] }) => field === 'displayUsername')
      throw userErrors.error(isDisplayed ? 'INVALID_DISPLAY_USERNAME' : 'INVALID_USERNAME')
    }
    const { username: typed, displayUsername } = parsed.data
    const display = displayUsername === undefined ? {} : { displayUsername }
    if (typed === undefined) return display
    if (typed === null) return { username: null, displayUsername: null }
    const username = normalizeName(typed)
    const problem = nameProblem(username, config)
    if (problem !== undefined) throw userErrors.error(problem)
    if (isReserved(username)) throw taken()
    // The typed name is checked as well, because normalizing may turn several characters into one, so the typed name may be much longer.
    if ([...typed].length > longestDisplayed) throw userErrors.error('USERNAME_TOO_LONG')
    return { username, typed: typed.trim(), ...display }
  }

  /** Applies a change to the columns. The displayed text changes together with the name, but only if it was a spelling of the old name. */
  const changed = (stored: StoredName, { username, typed, displayUsername }: GivenName): StoredName => {
    if (username === null) return none
    const isSpelling = normalizeName(stored.displayUsername ?? '') === (stored.username ?? '')
    const shown = typed !== undefined && isSpelling ? typed : stored.displayUsername
    return { username: username ?? stored.username, displayUsername: displayUsername === undefined ? shown : displayUsername }
  }

  const missing = () =>
    coreErrors.error('VALIDATION_ERROR', {
      message: 'Invalid body parameters',
      issues: [{ path: 'username', message: 'is required' }],
    })

  const forNewUser: UserNames['forNewUser'] = (body) => {
    if (!isOn) return none
    const { displayUsername: shown } = body
    // As in Better Auth: if a call sets only the displayed text, and this text is a valid user name, it also becomes the user name.
    const isName = typeof shown === 'string' && nameProblem(normalizeName(shown), config) === undefined
    return changed(none, parse(body['username'] === undefined && isName ? { ...body, username: shown } : body))
  }

  const lookedFor: UserNames['lookedFor'] = (text) => {
    const name = normalizeName(text.slice(0, 1_000).trim())
    return isOn && nameProblem(name, config) === undefined ? name : undefined
  }

  return {
    isOn,
    requireOn: () => {
      if (!isOn) throw userErrors.error('USER_NAMES_ARE_NOT_ENABLED')
    },
    taken,
    isReserved,
    lookedFor,
    require: (text) => {
      const name = normalizeName(text.slice(0, 1_000))
      // For an empty name, Better Auth has the error for an invalid name, and not the one for a short name.
      const problem = text === '' ? 'INVALID_USERNAME' : nameProblem(name, config)
      if (problem !== undefined) throw userErrors.error(problem, { status: 422 })
      return name
    },
    forNewUser,
    forSignUp: (body) => {
      const name = forNewUser(body)
      if (config.mode === 'required' && name.username === null) throw missing()
      return name
    },
    forUpdate: (body) => {
      if (!isOn) return {}
      const given = parse(body)
      if (config.mode === 'required' && given.username === null) throw missing()
      return given
    },
    change: (stored, given, isOwn) => {
      const next = changed(stored, given)
      const isFixed = isOwn && config.changeableBy === 'operator' && stored.username !== null
      if (isFixed && next.username !== stored.username) throw userErrors.error('USERNAME_IS_IMMUTABLE')
      return next
    },
    read: ({ username, displayUsername }) => (isOn ? { username, displayUsername } : {}),
  }
}
