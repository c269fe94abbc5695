/** Longest user name. Ids are longer by at least one character, so a user name never looks like an id. */
export const longestName = 30

/**
 * Words that nobody can have as a user name, because they suggest the operator or have a meaning for programs. Dots, dashes and
 * underscores in a name are ignored in the comparison.
 */
const reservedWords = new Set(
  (
    'abuse account accounts admin administrator administrators admins anonymous api auth billing bot contact daemon everyone ' +
    'gatehouse guest help helpdesk hostmaster info login logout mail mailerdaemon me moderator moderators news nobody noreply ' +
    'notifications null official operator owner postmaster privacy root sales security self service setup signin signout signup ' +
    'staff status superuser support system team undefined user username users webmaster www'
  ).split(' '),
)

/**
 * Alphabets that cannot be mixed, because their letters may look alike or run in different directions. All letters of a user name come
 * from one of them.
 */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
]

/** Matches letters, ASCII digits, `.`, `_` and `-`. The first character must be neither a combining mark nor a dash. */
const form = /^[\p{L}0-9._][\p{L}\p{Mn}\p{Mc}0-9._-]*$/u
/** Matches invisible characters. Unicode counts some of them as letters. */
const invisible = /\p{Default_Ignorable_Code_Point}/u
const letterOrDigit = /[\p{L}0-9]/u
const pileOfMarks = /\p{M}{3}/u

export type NameProblem = 'USERNAME_TOO_SHORT' | 'USERNAME_TOO_LONG' | 'INVALID_USERNAME'

export interface NameLength {
  readonly minLength: number
  readonly maxLength: number
}

/**
 * The normalized form of a user name, in which names are compared. It is the same for all spellings of a name: full-width, circled and
 * composed characters become plain ones, and there is only one case. For this, the Turkish letters i with and without a dot count as one.
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

/** Says why a normalized user name is invalid. Undefined for a valid name. The length is counted in code points. */
export const nameProblem = (name: string, { minLength, maxLength }: NameLength): NameProblem | undefined => {
  const { length } = [...name]
  if (length < minLength) return 'USERNAME_TOO_SHORT'
  if (length > maxLength) return 'USERNAME_TOO_LONG'
  const isWritten = form.test(name) && letterOrDigit.test(name) && !invisible.test(name) && !pileOfMarks.test(name)
  return isWritten && alphabets.filter((letters) => letters.test(name)).length <= 1 ? undefined : 'INVALID_USERNAME'
}

const withoutSigns = (name: string) => name.replace(/[._-]/g, '')

/** True if nobody can have this normalized user name. `more` are further names that the configuration reserves. */
export const isReservedName = (name: string, more: readonly string[]): boolean => {
  const word = withoutSigns(name)
  return reservedWords.has(word) || more.some((one) => withoutSigns(normalizeName(one)) === word)
}
