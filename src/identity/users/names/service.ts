import { z } from 'zod'
import { type AppError, coreErrors } from '../../../core/errors.ts'
import { lineInput } from '../../../core/wire.ts'
import { userErrors } from '../contract.ts'
import type { UserNamesConfig } from './config.ts'
import { isReservedName, nameProblem, normalizeName } from './rules.ts'

/** A name as it is stored. */
export interface StoredName {
  /** Normalized; unique. */
  readonly username: string | null
  /** As its user writes it, or another text that they want to be shown. */
  readonly displayUsername: string | null
}

/** The name in a call. Absent: unchanged. */
export interface GivenName extends Partial<StoredName> {
  /** The name as it was typed. */
  readonly typed?: string
}

const none: StoredName = { username: null, displayUsername: null }

/** Most characters of a name as it is shown. */
const longestDisplayed = 100

const Given = z.object({
  username: z.string().max(1_000).nullish(),
  displayUsername: lineInput(longestDisplayed).nullish(),
})

/** User names where `accounts.userNames` has them. Where it does not, calls that name one are read as if they did not. */
export interface UserNames {
  readonly isOn: boolean
  /** Throws USER_NAMES_ARE_NOT_ENABLED. */
  requireOn(): void
  /** The error of a name that another user has, or that nobody gets. */
  taken(): AppError
  /** The form in which a name is looked for; undefined for a text that can be no name. */
  lookedFor(text: string): string | undefined
  /**
   * As `lookedFor`, for a sign-in or a question whether a name is free. Throws USERNAME_TOO_SHORT, USERNAME_TOO_LONG and INVALID_USERNAME with
   * status 422.
   */
  require(text: string): string
  /** True for a normalized name that nobody may take. */
  isReserved(name: string): boolean
  /**
   * The name of a sign-up. Throws USERNAME_TOO_SHORT, USERNAME_TOO_LONG, INVALID_USERNAME, INVALID_DISPLAY_USERNAME,
   * USERNAME_IS_ALREADY_TAKEN for a reserved one, and VALIDATION_ERROR where one is required and missing.
   */
  forSignUp(body: Readonly<Record<string, unknown>>): StoredName
  /** The name of a user whom an operator makes: none is required. Throws the same. */
  forNewUser(body: Readonly<Record<string, unknown>>): StoredName
  /** The new name of a change. Throws the same errors, and where a name is required also for null. */
  forUpdate(body: Readonly<Record<string, unknown>>): GivenName
  /** The stored columns after a change. Throws USERNAME_IS_IMMUTABLE where users may not change theirs, and one does. */
  change(stored: StoredName, given: GivenName, isOwn: boolean): StoredName
  /** The members about the name in responses with a user. */
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
    // As written it may be longer than it counts: several characters that are one when they are compared.
    if ([...typed].length > longestDisplayed) throw userErrors.error('USERNAME_TOO_LONG')
    return { username, typed: typed.trim(), ...display }
  }

  /** A text to be shown that is no spelling of the name stays with another name. */
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
    // As Better Auth does: a call with only the text to show sets it as the name too, where it can be one.
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
      // As Better Auth says it.
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
