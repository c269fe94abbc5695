/** The largest length of a user name. Ids have at least one character more, so that a user name never looks like an id. */
export const longestName = 30

/** Words that suggest the operator or have a meaning for programs. Dots, dashes and underscores are ignored in the comparison. */
const reservedWords = new Set(
  (
    'abuse account accounts admin administrator administrators admins anonymous api auth billing bot contact daemon everyone ' +
    'gatehouse guest help helpdesk hostmaster info login logout mail mailerdaemon me moderator moderators news nobody noreply ' +
    'notifications null official operator owner postmaster privacy root sales security self service setup signin signout signup ' +
    'staff status superuser support system team undefined user username users webmaster www'
  ).split(' '),
)

/** Alphabets whose letters can look alike or run in different directions. A user name has letters of only one alphabet. */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
]

/** Letters, ASCII digits, `.`, `_` and `-`. The first character is neither a combining mark nor a dash. */
const form = /^[\p{L}0-9._][\p{L}\p{Mn}\p{Mc}0-9._-]*$/u
/** Unicode counts some invisible filler characters as letters. */
const invisible = /\p{Default_Ignorable_Code_Point}/u
const letterOrDigit = /[\p{L}0-9]/u
const pileOfMarks = /\p{M}{3}/u

export type NameProblem = 'USERNAME_TOO_SHORT' | 'USERNAME_TOO_LONG' | 'INVALID_USERNAME'

export interface NameLength {
  readonly minLength: number
  readonly maxLength: number
}

/**
 * The form in which names are compared. It is equal for all spellings of a name: wide, circled and composed characters become plain ones.
 * Upper and lower case become one case, including the dotted and dotless i of Turkish.
 */
export const normalizeName = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/i\p{M}+/gu, (letter) => letter.replaceAll('\u0307', ''))
    .normalize('NFKC')

/** Returns the problem of a normalized name, and undefined for a valid name. Length is counted in code points. */
export const nameProblem = (name: string, { minLength, maxLength }: NameLength): NameProblem | undefined => {
  const { length } = [...name]
  if (length < minLength) return 'USERNAME_TOO_SHORT'
  if (length > maxLength) return 'USERNAME_TOO_LONG'
  const isWritten = form.test(name) && letterOrDigit.test(name) && !invisible.test(name) && !pileOfMarks.test(name)
  return isWritten && alphabets.filter((letters) => letters.test(name)).length <= 1 ? undefined : 'INVALID_USERNAME'
}

const withoutSigns = (name: string) => name.replace(/[._-]/g, '')

/** True if a normalized name is reserved. `more` contains the names that this instance reserves in addition. */
export const isReservedName = (name: string, more: readonly string[]): boolean => {
  const word = withoutSigns(name)
  return reservedWords.has(word) || more.some((one) => withoutSigns(normalizeName(one)) === word)
}
