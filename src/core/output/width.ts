/** Computes how many columns of a terminal a text takes, and shortens texts to a number of columns. */

/** Matches East Asian wide and full-width characters and emoji. Each of them takes two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
/** Matches characters that take no column: marks on the character before them, joiners and variation selectors. */
const zeroWidth = /^[\p{M}\u200b-\u200f\u2060\ufeff]+$/u
const onlyAscii = /^[\x20-\x7e]*$/

/** Divides a text into characters as people see them, such as a letter with its marks, or an emoji with its modifiers. */
const charactersOf = (text: string): readonly string[] =>
  onlyAscii.test(text) ? [...text] : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)

const characterWidth = (character: string): number => (zeroWidth.test(character) ? 0 : wide.test(character) ? 2 : 1)

/** How many columns a text takes. */
export const displayWidth = (text: string): number =>
  onlyAscii.test(text) ? text.length : charactersOf(text).reduce((sum, character) => sum + characterWidth(character), 0)

/** Adds spaces until the text takes `width` columns. */
export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - displayWidth(text)))

const take = (characters: readonly string[], width: number): string => {
  let [taken, used] = ['', 0]
  for (const character of characters) {
    used += characterWidth(character)
    if (used > width) break
    taken += character
  }
  return taken
}

/** The last characters of a text, as many as fit into `width` columns. */
const takeLast = (characters: readonly string[], width: number): string => {
  let [taken, used] = ['', 0]
  for (const character of characters.toReversed()) {
    used += characterWidth(character)
    if (used > width) break
    taken = character + taken
  }
  return taken
}

/** True for a text without spaces, such as an id or an email address. People recognise such a text by its beginning and its end. */
const isWord = (text: string) => !/\s/.test(text)

/** Shortens a text to `width` columns. A word is shortened in the middle, a sentence at its end. */
export const shorten = (text: string, width: number): string => {
  if (displayWidth(text) <= width) return text
  const characters = charactersOf(text)
  if (width < 2) return take(characters, width)
  if (!isWord(text)) return `${take(characters, width - 1).trimEnd()}…`
  const end = Math.floor((width - 1) / 2)
  return `${take(characters, width - 1 - end)}…${takeLast(characters, end)}`
}
