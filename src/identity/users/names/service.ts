import { z } from 'zod'
import { type AppError, coreErrors } from '../../../core/errors.ts'
import { lineInput } from '../../../core/wire.ts'
import { userErrors } from '../contract.ts'
import type { UserNamesConfig } from './config.ts'
import { isReservedName, nameProblem, normalizeName } from './rules.ts'

/** The columns of a user's name. */
export interface StoredName {
  /** The normalized name, which is unique. */
  readonly username: string | null
  /** The user's spelling of the name, or another text to display. */
  readonly displayUsername: string | null
}

/** The name in a call. Absent members stay unchanged. */
export interface GivenName extends Partial<StoredName> {
  /** The name as the person typed it. */
  readonly typed?: string
}

const none: StoredName = { username: null, displayUsername: null }

/** The largest length of the displayed text. */
const longestDisplayed = 100

const Given = z.object({
  username: z.string().max(1_000).nullish(),
  displayUsername: lineInput(longestDisplayed).nullish(),
})

/** User names, if `accounts.userNames` enables them. Otherwise names in calls are ignored. */
export interface UserNames {
  readonly isOn: boolean
  /** Throws USER_NAMES_ARE_NOT_ENABLED if user names are not enabled. */
  requireOn(): void
  /** The error for a name that is taken or reserved. */
  taken(): AppError
  /** The normalized name for a search; undefined for text that cannot be a name. */
  lookedFor(text: string): string | undefined
  /**
   * The normalized name for a sign-in or a check of availability. Throws USERNAME_TOO_SHORT, USERNAME_TOO_LONG and INVALID_USERNAME with
   * status 422.
   */
  require(text: string): string
  /** True if a normalized name is reserved. */
  isReserved(name: string): boolean
  /**
   * The name in a sign-up. Throws USERNAME_TOO_SHORT, USERNAME_TOO_LONG, INVALID_USERNAME and INVALID_DISPLAY_USERNAME. Throws
   * USERNAME_IS_ALREADY_TAKEN for a reserved name, and VALIDATION_ERROR if a required name is missing.
   */
  forSignUp(body: Readonly<Record<string, unknown>>): StoredName
  /** The name of a user whom an operator creates. It is never required. Throws the other errors of `forSignUp`. */
  forNewUser(body: Readonly<Record<string, unknown>>): StoredName
  /** The name in a change. Throws the errors of `forSignUp`. Null also throws if a name is required. */
  forUpdate(body: Readonly<Record<string, unknown>>): GivenName
  /** The columns after a change. Throws USERNAME_IS_IMMUTABLE if the user makes the change and names are fixed. */
  change(stored: StoredName, given: GivenName, isOwn: boolean): StoredName
  /** The user's name as answers show it. */
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
    // The typed name may be longer than the normalized name, in which several characters can become one.
    if ([...typed].length > longestDisplayed) throw userErrors.error('USERNAME_TOO_LONG')
    return { username, typed: typed.trim(), ...display }
  }

  /** Changes the displayed text together with the name, but only if it was a spelling of the old name. */
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
    // As in Better Auth, a call with a displayed text alone also sets the name if the text is a valid name.
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
      // Better Auth reports an empty name as invalid.
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
