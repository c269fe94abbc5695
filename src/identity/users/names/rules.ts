/** Longest name: one character shorter than an id, so that a name never looks like one. */
export const longestName = 30

/** Words that suggest the operator, or have a meaning for programs. Compared without dots, dashes and underscores. */
const reservedWords = new Set(
  (
    'abuse account accounts admin administrator administrators admins anonymous api auth billing bot contact daemon everyone ' +
    'gatehouse guest help helpdesk hostmaster info login logout mail mailerdaemon me moderator moderators news nobody noreply ' +
    'notifications null official operator owner postmaster privacy root sales security self service setup signin signout signup ' +
    'staff status superuser support system team undefined user username users webmaster www'
  ).split(' '),
)

/** Alphabets with letters of the same shape, or of another direction. A name uses one of them. */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
]

/** Letters, ASCII digits, `.`, `_` and `-`. The first character is no combining mark and no dash. */
const form = /^[\p{L}0-9._][\p{L}\p{Mn}\p{Mc}0-9._-]*$/u
/** Fillers count as letters in Unicode, but are invisible. */
const invisible = /\p{Default_Ignorable_Code_Point}/u
const letterOrDigit = /[\p{L}0-9]/u
const pileOfMarks = /\p{M}{3}/u

export type NameProblem = 'USERNAME_TOO_SHORT' | 'USERNAME_TOO_LONG' | 'INVALID_USERNAME'

export interface NameLength {
  readonly minLength: number
  readonly maxLength: number
}

/**
 * The form for comparing names, the same for all spellings. Wide, circled and composed characters become plain ones, and all cases of a
 * letter become one, including the dotted and dotless i of Turkish.
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

/** The problem of a normalized name; undefined for a valid one. Length is counted in code points. */
export const nameProblem = (name: string, { minLength, maxLength }: NameLength): NameProblem | undefined => {
  const { length } = [...name]
  if (length < minLength) return 'USERNAME_TOO_SHORT'
  if (length > maxLength) return 'USERNAME_TOO_LONG'
  const isWritten = form.test(name) && letterOrDigit.test(name) && !invisible.test(name) && !pileOfMarks.test(name)
  return isWritten && alphabets.filter((letters) => letters.test(name)).length <= 1 ? undefined : 'INVALID_USERNAME'
}

const withoutSigns = (name: string) => name.replace(/[._-]/g, '')

/** True for a normalized name that is reserved. `more`: further ones of this instance. */
export const isReservedName = (name: string, more: readonly string[]): boolean => {
  const word = withoutSigns(name)
  return reservedWords.has(word) || more.some((one) => withoutSigns(normalizeName(one)) === word)
}
