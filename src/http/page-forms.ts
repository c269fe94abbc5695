import { waitIn } from '../core/language.ts'
import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'
import type { FormWords, PageForm } from './painted.ts'

/** A form that a page posted without its script, and why it was refused. */
export interface RefusedForm {
  readonly code: string
  readonly status: number
  /** Names of invalid fields. */
  readonly fields: readonly string[]
  /** Seconds to wait. */
  readonly seconds?: number | undefined
  /** The posted fields, unchanged. */
  readonly posted: unknown
}

/** The state of a form: messages by field, and typed text. */
export interface FilledForm {
  /** Names of the invalid fields, separated by blanks. */
  readonly wrong: string
  /** Messages by field; messages about the whole form under `form`. */
  readonly texts: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, string>>
  readonly isRemembered: boolean
}

export const emptyForm: FilledForm = { wrong: '', texts: {}, values: {}, isRemembered: true }

const textOf = (posted: unknown, name: string): string => {
  const value = typeof posted === 'object' && posted !== null && Object.hasOwn(posted, name) ? Reflect.get(posted, name) : ''
  return typeof value === 'string' ? value : ''
}

/** The fields of forms in their order. */
const formFields = ['name', 'email', 'password'] as const
/** Fields whose typed text is shown again. */
const shownAgain = ['name', 'email'] as const

/** Longest value that is shown again. */
const longestValue = 320

/** The refused form with its errors at their fields and the typed text, never the password. */
export const refill = (
  { code, status, fields, seconds, posted }: RefusedForm,
  words: FormWords,
  locale: Locale,
  say: (text: string) => string,
): FilledForm => {
  const texts = Object.fromEntries(
    fields.flatMap((name) => {
      const about = textOf(posted, name).trim() === '' ? words.missing : words.invalid
      const text = Object.hasOwn(about, name) ? about[name] : undefined
      return text === undefined ? [] : [[name, say(text)]]
    }),
  )
  const values = Object.fromEntries(shownAgain.map((name) => [name, textOf(posted, name).slice(0, longestValue)]))
  const filled = { values, isRemembered: textOf(posted, 'rememberMe') !== '' }
  const wrong = formFields.filter((name) => Object.hasOwn(texts, name)).join(' ')
  if (wrong !== '') return { ...filled, wrong, texts }
  const known = Object.hasOwn(words.codes, code) ? words.codes[code] : undefined
  if (known !== undefined && known.field !== 'form')
    return { ...filled, wrong: known.field, texts: { [known.field]: say(known.text) } }
  const text = say(known?.text ?? (status === 429 ? words.wait : status >= 500 ? words.busy : words.unknown))
  const wait = seconds === undefined ? '' : ` (${waitIn(locale, seconds)})`
  return { ...filled, wrong: '', texts: { form: `${text}${wait}` } }
}

/** Inserts the content of a form into its page. */
export const fillForm = (html: string, { texts, values, isRemembered }: FilledForm): string => {
  const filled = html.replace(/\{\{(value|error):(\w+)\}\}/g, (_, kind: string, name: string) =>
    escapeHtml((kind === 'error' ? texts[name] : values[name]) ?? ''),
  )
  return isRemembered ? filled : filled.replace(/(name="rememberMe"[^>]*?) checked=""/, '$1')
}

/** The form of a page in its state; undefined if the build has rendered none. */
export const formOf = (form: PageForm | undefined, isForClient: boolean, wrong: string): string | undefined => {
  const states = form?.[isForClient ? 'client' : 'plain']
  return states?.[wrong] ?? states?.['']
}
