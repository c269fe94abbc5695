/** Most characters of a name: one fewer than an id has, so that none is taken for one. */
export const longestName = 30

/** Words that people would take for the operator, or programs for something else. Compared without dots, dashes and underscores. */
const reservedWords = new Set(
  (
    'abuse account accounts admin administrator administrators admins anonymous api auth billing bot contact daemon everyone ' +
    'gatehouse guest help helpdesk hostmaster info login logout mail mailerdaemon me moderator moderators news nobody noreply ' +
    'notifications null official operator owner postmaster privacy root sales security self service setup signin signout signup ' +
    'staff status superuser support system team undefined user username users webmaster www'
  ).split(' '),
)

/** Alphabets that have letters of one another's form, or another direction. A name has letters of one of them. */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
]

/** Letters, ASCII digits, `.`, `_` and `-`. It begins with none of the marks and dashes that something must stand before. */
const form = /^[\p{L}0-9._][\p{L}\p{Mn}\p{Mc}0-9._-]*$/u
/** Fillers are letters for Unicode, and invisible. */
const invisible = /\p{Default_Ignorable_Code_Point}/u
const letterOrDigit = /[\p{L}0-9]/u
const pileOfMarks = /\p{M}{3}/u

export type NameProblem = 'USERNAME_TOO_SHORT' | 'USERNAME_TOO_LONG' | 'INVALID_USERNAME'

export interface NameLength {
  readonly minLength: number
  readonly maxLength: number
}

/**
 * The form in which names are compared: one for all ways to write it. Wide, circled and composed forms become the plain ones, and all cases of a
 * letter become one, the dotted and dotless i of Turkish too.
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

/** The fault of a normalized name; undefined for a good one. Length is counted in code points. */
export const nameProblem = (name: string, { minLength, maxLength }: NameLength): NameProblem | undefined => {
  const { length } = [...name]
  if (length < minLength) return 'USERNAME_TOO_SHORT'
  if (length > maxLength) return 'USERNAME_TOO_LONG'
  const isWritten = form.test(name) && letterOrDigit.test(name) && !invisible.test(name) && !pileOfMarks.test(name)
  return isWritten && alphabets.filter((letters) => letters.test(name)).length <= 1 ? undefined : 'INVALID_USERNAME'
}

const withoutSigns = (name: string) => name.replace(/[._-]/g, '')

/** True for a normalized name that nobody gets. `more`: of this instance. */
export const isReservedName = (name: string, more: readonly string[]): boolean => {
  const word = withoutSigns(name)
  return reservedWords.has(word) || more.some((one) => withoutSigns(normalizeName(one)) === word)
}
