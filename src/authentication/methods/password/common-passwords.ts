/** Words about the product that a password must not consist of. */
const productWords = ['gatehouse', 'administrator', 'admin', 'password']

/** The list is loaded for the first check, so that the start does not wait for ten thousand words. */
const load = async (): Promise<ReadonlySet<string>> => {
  const { default: list } = await import('./common-passwords.json', { with: { type: 'json' } })
  return new Set(list.words.split(' '))
}

/** Removes up to four digits and signs at either end. `Password123!` becomes `password`. */
const undecorated = (password: string) => password.replace(/^[\d\W_]{1,4}/, '').replace(/[\d\W_]{1,4}$/, '')

/**
 * Splits an address or name into words that a password must not be made of. These are the whole text and its parts, if they have at least
 * four characters.
 */
const partsOf = (text: string): readonly string[] => [text, ...text.split(/[\s@._+-]+/)].filter((part) => part.length >= 4)

/** True if a password contains one of the words and little else. At most three more letters and four more digits are allowed. */
const isMadeOf = (password: string, words: readonly string[]): boolean => {
  const longestFirst = [...words].sort((a, b) => b.length - a.length)
  const rest = longestFirst.reduce((text, word) => text.replaceAll(word, ' '), password)
  const count = (pattern: RegExp) => rest.match(pattern)?.length ?? 0
  return rest !== password && count(/\p{L}/gu) < 4 && count(/\p{N}/gu) <= 4
}

/**
 * True if a password is one of the most common ones. Also true if it is made of `words`, such as the address or name, or of the product's
 * name (security baseline, section 1). Letter case and a few digits at the ends make no difference.
 */
export const isCommonPassword = async (password: string, words: readonly string[]): Promise<boolean> => {
  const plain = password.normalize('NFC').toLowerCase()
  const common = await load()
  if (common.has(plain) || common.has(undecorated(plain))) return true
  return isMadeOf(plain, [...productWords, ...words.flatMap((word) => partsOf(word.normalize('NFC').toLowerCase()))])
}
