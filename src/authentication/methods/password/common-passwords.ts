/** Words about this product. A password must not consist of them. */
const productWords = ['gatehouse', 'administrator', 'admin', 'password']

/** Loads the list of common passwords at the first check, so that the start of the daemon does not wait for ten thousand words. */
const load = async (): Promise<ReadonlySet<string>> => {
  const { default: list } = await import('./common-passwords.json', { with: { type: 'json' } })
  return new Set(list.words.split(' '))
}

/** Removes up to four digits and signs at the beginning and at the end. `Password123!` becomes `password`. */
const undecorated = (password: string) => password.replace(/^[\d\W_]{1,4}/, '').replace(/[\d\W_]{1,4}$/, '')

/**
 * Splits a mail address or name into words of which a password must not consist: the whole text, and its parts that have at least four
 * characters.
 */
const partsOf = (text: string): readonly string[] => [text, ...text.split(/[\s@._+-]+/)].filter((part) => part.length >= 4)

/** True if a password contains one of the words and almost nothing else: at most three more letters and at most four more digits. */
const isMadeOf = (password: string, words: readonly string[]): boolean => {
  const longestFirst = [...words].sort((a, b) => b.length - a.length)
  const rest = longestFirst.reduce((text, word) => text.replaceAll(word, ' '), password)
  const count = (pattern: RegExp) => rest.match(pattern)?.length ?? 0
  return rest !== password && count(/\p{L}/gu) < 4 && count(/\p{N}/gu) <= 4
}

/**
 * True if a password is among the most common passwords. Also true if it consists of `words` (such as the mail address or name) or of the
 * product's name (security baseline, section 1). Letter case and a few digits at the beginning or end make no difference.
 */
export const isCommonPassword = async (password: string, words: readonly string[]): Promise<boolean> => {
  const plain = password.normalize('NFC').toLowerCase()
  const common = await load()
  if (common.has(plain) || common.has(undecorated(plain))) return true
  return isMadeOf(plain, [...productWords, ...words.flatMap((word) => partsOf(word.normalize('NFC').toLowerCase()))])
}
