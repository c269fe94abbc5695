import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'

/** A page that the build has rendered. The server replaces `{{…}}`. */
export interface PaintedPage {
  readonly name: string
  readonly frame: 'card' | 'wide'
  /** True if the page requests the session. */
  readonly session: boolean
  /** True if the page shows the logos of the providers. */
  readonly marks: boolean
  /** The files with its code. A page with a working form loads them when a person first does something. */
  readonly files: readonly string[]
  /** Style sheets in addition to the one of every page. */
  readonly styles: readonly string[]
}

/** `client`: the sign-in to an application. `other`: the address contains an error or a target, which only the page's script reads. */
export type PaintKind = 'plain' | 'client' | 'other'

/**
 * Reasons why a browser gets no page. `tooMany`: a rate limit; `failed`: an error of the server; `unavailable`: the database cannot be
 * used or a queue is full; `maintenance`: a migration of the database.
 */
export type ProblemKind = 'tooMany' | 'failed' | 'unavailable' | 'maintenance'

/**
 * A form in each of its states, on a page of its own and in a sign-in to an application. A state is named by the invalid fields in the
 * order of the form, separated by blanks; it is empty if there are none. Further states: `first` asks for the address alone, `known` has
 * the address filled in, `bare` is the page without a form, and `sent` asks for the mailed code.
 */
export type PageForm = Readonly<Record<'plain' | 'client', Readonly<Record<string, string>>>>

/**
 * Parts of the pages with forms. Which ones a page has depends on the settings. Texts are `{{t:…}}`; places for other content have names
 * in the same braces.
 */
export interface PageParts {
  /** The end of a form: with or without a last line, and with or without a message about the whole form. */
  readonly ends: Readonly<Record<'bare' | 'foot' | 'bareProblem' | 'footProblem', string>>
  /** The last line of each page: a link to another page. */
  readonly foots: Readonly<Record<string, string>>
  /** The last line of a card. */
  readonly cardFoot: string
  readonly divider: string
  /** The group of sign-in methods other than the password. The methods follow. */
  readonly ways: string
  readonly passkey: string
  readonly mail: string
  readonly signUpMail: string
  /** The message that no sign-in method is available. */
  readonly noWay: string
  /** The link by which people set a new password. */
  readonly forgot: string
  /** The field for a user name: optional or required, and each with a problem. */
  readonly username: Readonly<Record<'optional' | 'required' | 'optionalProblem' | 'requiredProblem', string>>
  /** The buttons of the providers: in two columns with names alone, or with complete texts. */
  readonly providers: string
  readonly provider: Readonly<Record<'few' | 'many', string>>
  /** The buttons of the providers that are hidden at first. */
  readonly moreProviders: string
  readonly language: string
}

/** Texts of the links below a page. */
export type FootWords = Readonly<Record<'links' | 'privacy' | 'terms' | 'support' | 'poweredBy', string>>

/** The messages of forms about refusals. */
export interface FormWords {
  /** Messages by error code. */
  readonly codes: Readonly<Record<string, { readonly field: string; readonly text: string }>>
  /** Messages about empty fields, by field. */
  readonly missing: Readonly<Record<string, string>>
  /** Messages about impossible values, by field. */
  readonly invalid: Readonly<Record<string, string>>
  readonly wait: string
  readonly busy: string
  readonly unknown: string
}

/** A text, or one text for each plural form of its language. */
export type PaintedText = string | Readonly<Record<string, string>>

interface PaintedWords {
  readonly title: string | null
  /** What the frame contains: the shape of the page, or the complete page if it needs no script. */
  readonly content: Readonly<Record<PaintKind, string>>
  readonly files: readonly string[]
  /**
   * The form itself, if it works without script. It has places for values (`{{value:email}}`), errors (`{{error:email}}`), its end, and
   * the parts after it.
   */
  readonly form?: PageForm
  /** The message after a form was sent, if no other page follows. */
  readonly sent?: string
  /** The complete error page for each group of errors. The errors of a group have the same remedy. */
  readonly errors?: Readonly<Record<string, { readonly title: string; readonly content: string }>>
}

/** Replaces the keys `{{t:key}}`, which the build wrote, by texts. */
export const writeTexts = (html: string, textOf: (key: string) => unknown): string =>
  html.replace(/\{\{t:([\w.-]+)\}\}/g, (_, key: string) => {
    const text = textOf(key)
    return typeof text === 'string' ? escapeHtml(text) : ''
  })

/** The page without JavaScript, with its texts. `sayIn` inserts them. */
export const withoutScript = (noScript: string, sayIn: (html: string) => string, name: string): string =>
  sayIn(noScript).replaceAll('{name}', () => escapeHtml(name))

/** An error code in one spelling, so that `INVALID_TOKEN` and `invalid token` are equal. */
export const plainCode = (code: string): string =>
  code
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

/** The content of `first-paint.json`, which the build renders from the components of the pages, so that both look alike. */
export interface PaintFile {
  readonly paths: Readonly<Record<string, PaintedPage>>
  /** Pages for groups of addresses, by regular expression. The first match applies. */
  readonly prefixes: readonly (readonly [pattern: string, page: PaintedPage])[]
  readonly notFound: PaintedPage
  /** The parts of each provider's logo. */
  readonly marks: Readonly<Record<string, readonly (readonly [color: string, path: string])[]>>
  readonly parts: PageParts
  /** The logo for a provider that `marks` does not contain. */
  readonly gate: readonly (readonly [color: string, path: string])[]
  /** The page that leads the browser to `{url}`. */
  readonly leaving: string
  /** The pages about problems, which need no script. They have places for `{wait}`, `{name}` and `{requestId}`. */
  readonly problems: Readonly<Record<ProblemKind, { readonly title: string; readonly content: string }>>
  /** The group of texts on the error page for each code. Other codes are in the group `unknown`. */
  readonly errorGroups: Readonly<Record<string, string>>
  readonly console: {
    /** The shape of the console, shown while its code loads. */
    readonly frame: string
    /** Languages in which all texts of the console exist, each with its files of texts. */
    readonly languages: Readonly<Partial<Record<Locale, { readonly title: string; readonly files: readonly string[] }>>>
  }
  readonly frames: Readonly<Record<`${'card' | 'wide'} ${'arches' | 'plain'}`, string>>
  readonly signs: Readonly<Record<'mark' | 'name' | 'logo' | 'logos', string>>
  readonly languages: Readonly<
    Record<
      Locale,
      {
        readonly noScript: string
        readonly formWords: FormWords
        readonly footWords: FootWords
        readonly pages: Readonly<Record<string, PaintedWords>>
        /** The texts that pages name as `{{t:key}}`. */
        readonly texts: Readonly<Record<string, PaintedText>>
      }
    >
  >
}

/**
 * `first-paint.json` as it is stored. The pages of a language contain only what differs from English, because nearly everything but the
 * files of texts is equal.
 */
export type PackedPaint = Omit<PaintFile, 'languages'> & {
  readonly languages: Readonly<
    Record<
      Locale,
      Omit<PaintFile['languages'][Locale], 'pages'> & { readonly pages: Readonly<Record<string, Partial<PaintedWords>>> }
    >
  >
}

const mapValues = <From, To>(record: Readonly<Record<string, From>>, change: (value: From, key: string) => To) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

const changeLanguages = <From, To>(languages: Readonly<Record<Locale, From>>, change: (language: From) => To) =>
  mapValues(languages, change) as Record<Locale, To>

export const packPaint = ({ languages, ...painted }: PaintFile): PackedPaint => {
  const { pages: english } = languages.en
  const differences = (words: PaintedWords, name: string): Partial<PaintedWords> => {
    const known = Object.entries(english[name] ?? {})
    const isKnown = ([key, value]: [string, unknown]) =>
      known.some(([other, its]) => other === key && JSON.stringify(its) === JSON.stringify(value))
    return Object.fromEntries(Object.entries(words).filter((entry) => !isKnown(entry)))
  }
  const pack = (language: PaintFile['languages'][Locale]) => ({ ...language, pages: mapValues(language.pages, differences) })
  return { ...painted, languages: { ...changeLanguages(languages, pack), en: languages.en } }
}

export const unpackPaint = ({ languages, ...painted }: PackedPaint): PaintFile => {
  const { pages: english } = languages.en
  const unpack = (language: PackedPaint['languages'][Locale]) => ({
    ...language,
    pages: mapValues(language.pages, (words, name) => ({ ...english[name], ...words }) as PaintedWords),
  })
  return { ...painted, languages: changeLanguages(languages, unpack) }
}
