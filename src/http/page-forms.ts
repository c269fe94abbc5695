import { waitIn } from '../core/language.ts'
import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'
import type { FormWords, PageForm } from './painted.ts'

/** A form that a page posted without its script, with the reason why it was refused. */
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

/** What a form shows: messages by field, typed text, and parameters of the address that the next page needs. */
export interface FilledForm {
  /** Names of the invalid fields, separated by blanks. */
  readonly wrong: string
  /** Messages by field. A message about the whole form is under `form`. */
  readonly texts: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, string>>
  readonly isRemembered: boolean
  readonly kept?: readonly (readonly [name: string, value: string])[]
}

export const emptyForm: FilledForm = { wrong: '', texts: {}, values: {}, isRemembered: true }

const textOf = (posted: unknown, name: string): string => {
  const value = typeof posted === 'object' && posted !== null && Object.hasOwn(posted, name) ? Reflect.get(posted, name) : ''
  return typeof value === 'string' ? value : ''
}

/** The fields of forms, in the order in which they stand. */
const formFields = ['name', 'email', 'password', 'username', 'code'] as const
/** Fields whose typed text is shown again after a refusal. */
const shownAgain = ['name', 'email', 'username'] as const

/** Longest value that is shown again. */
const longestValue = 320

/** The state of a form whose address is known. */
export const filledWith = (email: string): FilledForm => ({ ...emptyForm, values: { email: email.slice(0, longestValue) } })

interface Shown {
  readonly locale: Locale
  /** True if the field `email` also accepts user names. */
  readonly identifier: boolean
}

/** The refused form, with errors at their fields and the typed text. The password is never shown again. */
export const refill = (
  { code, status, fields, seconds, posted }: RefusedForm,
  words: FormWords,
  { locale, identifier }: Shown,
  say: (text: string) => string,
): FilledForm => {
  const missing: FormWords['missing'] = identifier ? { ...words.missing, email: words.missing['username'] ?? '' } : words.missing
  const texts = Object.fromEntries(
    fields.flatMap((name) => {
      const about = textOf(posted, name).trim() === '' ? missing : words.invalid
      const text = Object.hasOwn(about, name) ? about[name] : undefined
      return text === undefined ? [] : [[name, say(text)]]
    }),
  )
  const values = Object.fromEntries(shownAgain.map((name) => [name, textOf(posted, name).slice(0, longestValue)]))
  const filled = { values, isRemembered: textOf(posted, 'rememberMe') !== '' }
  const wrong = formFields.filter((name) => Object.hasOwn(texts, name)).join(' ')
  if (wrong !== '') return { ...filled, wrong, texts }
  const known = Object.hasOwn(words.codes, code) ? words.codes[code] : undefined
  if (known !== undefined && known.field !== 'form') {
    const field = identifier && known.field === 'username' ? 'email' : known.field
    return { ...filled, wrong: field, texts: { [field]: say(known.text) } }
  }
  const text = say(known?.text ?? (status === 429 ? words.wait : status >= 500 ? words.busy : words.unknown))
  const wait = seconds === undefined ? '' : ` (${waitIn(locale, seconds)})`
  return { ...filled, wrong: '', texts: { form: `${text}${wait}` } }
}

/** Inserts messages and values into the form of a page. */
export const fillForm = (html: string, { texts, values, isRemembered, kept = [] }: FilledForm): string => {
  const inputOf = ([name, value]: (typeof kept)[number]) =>
    `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`
  const filled = html
    .replace('{{kept}}', () => kept.map(inputOf).join(''))
    .replace(/\{\{(value|error):(\w+)\}\}/g, (_, kind: string, name: string) =>
      escapeHtml((kind === 'error' ? texts[name] : values[name]) ?? ''),
    )
  return isRemembered ? filled : filled.replace(/(name="rememberMe"[^>]*?) checked=""/, '$1')
}

/** The form of a page in one of its states. Undefined if the build has not rendered it. */
export const formOf = (form: PageForm | undefined, isForClient: boolean, wrong: string): string | undefined => {
  const states = form?.[isForClient ? 'client' : 'plain']
  // The field for a user name is a separate part.
  const drawn = wrong.replace(/ ?username$/, '')
  return states?.[drawn] ?? states?.['']
}
