import { waitIn } from '../core/language.ts'
import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'
import type { FormWords, PageForm } from './painted.ts'

/** A form that was posted without script and refused, with the reason. */
export interface RefusedForm {
  readonly code: string
  readonly status: number
  /** The names of the invalid fields. */
  readonly fields: readonly string[]
  /** How many seconds the person has to wait. */
  readonly seconds?: number | undefined
  /** The fields as they were posted. */
  readonly posted: unknown
}

/** What is written into a form: the messages for its fields, the typed text, and the query parameters that the next page needs. */
export interface FilledForm {
  /** The names of the invalid fields, with blanks between them. */
  readonly wrong: string
  /** The messages by the name of the field. The message about the whole form has the name `form`. */
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

/** The fields of all forms, in the order in which a form shows them. */
const formFields = ['name', 'email', 'password', 'username', 'code'] as const
/** After a refusal, the typed text is shown again in these fields. */
const shownAgain = ['name', 'email', 'username'] as const

/** A value is shown again only if it has at most this many characters. */
const longestValue = 320

/** A form in which the email address is already filled in. */
export const filledWith = (email: string): FilledForm => ({ ...emptyForm, values: { email: email.slice(0, longestValue) } })

interface Shown {
  readonly locale: Locale
  /** True if the field `email` accepts user names, too. */
  readonly identifier: boolean
}

/** Makes what is written into a refused form: error messages at the fields, and the typed text. The password is never shown again. */
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

/** Writes messages and values into the HTML of a form. */
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

/** The HTML of a form in one of its states. Undefined if the build has not rendered that state. */
export const formOf = (form: PageForm | undefined, isForClient: boolean, wrong: string): string | undefined => {
  const states = form?.[isForClient ? 'client' : 'plain']
  // The field `username` is not part of the rendered form: it is inserted as a part of its own.
  const drawn = wrong.replace(/ ?username$/, '')
  return states?.[drawn] ?? states?.['']
}
