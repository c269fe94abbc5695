/** The address in the notation of mail programs, such as `"Example, Ann" <ann@example.com>`. */
const bare = (text: string) => /<([^<>]*)>/.exec(text)?.[1] ?? text

/** The addresses in a pasted list, in lower case and each once. Lines, commas, semicolons and blanks separate them. */
export const parseAddresses = (text: string): readonly string[] => {
  const parts = text
    .replace(/"[^"\n]*"/g, '')
    .split(/[\n,;]+/)
    .flatMap((part) => (part.includes('<') ? [bare(part)] : part.split(/\s+/)))
    .map((part) => part.trim().toLowerCase())
  return [...new Set(parts)].filter((part) => part !== '')
}

/** Letters that `normalize` does not decompose, and Cyrillic letters, each in the form that web addresses usually have. */
const letters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ł: 'l', ı: 'i', ø: 'o', æ: 'ae', œ: 'oe', đ: 'd' },
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', ґ: 'g', д: 'd', е: 'e', є: 'ie', ж: 'zh', з: 'z', и: 'i', і: 'i', й: 'i', к: 'k', л: 'l' },
  ...{ м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch' },
  ...{ ъ: '', ы: 'y', ь: '', э: 'e', ю: 'iu', я: 'ia' },
}

/** Proposes a slug for a name. The server decides whether it can be used. */
export const slugOf = (name: string): string =>
  [...name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')]
    .map((letter) => letters[letter] ?? letter)
    .join('')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64)
    .replace(/-$/, '')

/** True for a well-formed slug. Only the server knows reserved words. */
export const isSlug = (text: string): boolean => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text)
