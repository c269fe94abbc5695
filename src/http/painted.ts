import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'

/** A page that the build has rendered. The server replaces the placeholders `{{…}}` in it. */
export interface PaintedPage {
  readonly name: string
  readonly frame: 'card' | 'wide'
  /** True if the page asks the server for the session. */
  readonly session: boolean
  /** True if the page shows the logos of providers. */
  readonly marks: boolean
  /** The files with the code of the page. If the form of the page works without script, they are loaded when a person first does something. */
  readonly files: readonly string[]
  /** The style sheets that only this page needs. */
  readonly styles: readonly string[]
}

/**
 * The kinds of a page. `client`: the person is signing in to an application. `other`: the URL contains an error or a target, which only
 * the script of the page reads. `plain`: neither.
 */
export type PaintKind = 'plain' | 'client' | 'other'

/**
 * Problems about which a browser gets a page. `tooMany`: a rate limit was reached. `failed`: the server has an error. `unavailable`: the
 * database cannot be used, or a queue is full. `maintenance`: the database is being migrated.
 */
export type ProblemKind = 'tooMany' | 'failed' | 'unavailable' | 'maintenance'

/**
 * A form in each of its states: on a page of its own (`plain`), and in a sign-in to an application (`client`). The name of a state
 * consists of the invalid fields in the order of the form, with blanks between them, so it is empty if no field is invalid. There are
 * four more states: `first` asks for the address alone, `known` has the address filled in, `bare` is the page without a form, and `sent`
 * asks for the code from a mail.
 */
export type PageForm = Readonly<Record<'plain' | 'client', Readonly<Record<string, string>>>>

/** Parts that the settings add to pages with forms. Texts in them are written as `{{t:…}}`. Other placeholders have names in the same braces. */
export interface PageParts {
  /** The end of a form: with or without a last line (`foot`), each also with a message about the whole form (`Problem`). */
  readonly ends: Readonly<Record<'bare' | 'foot' | 'bareProblem' | 'footProblem', string>>
  /** For each page, the last line with a link to another page. */
  readonly foots: Readonly<Record<string, string>>
  /** The last line below all parts, if it is not part of the form. */
  readonly cardFoot: string
  readonly divider: string
  /** The frame around the sign-in methods other than the password. The methods are inserted after it. */
  readonly ways: string
  readonly passkey: string
  readonly mail: string
  readonly signUpMail: string
  /** The message that there is no sign-in method to choose. */
  readonly noWay: string
  /** The link to the page for a forgotten password. */
  readonly forgot: string
  /** The field for a user name: optional or required, each also with an error (`Problem`). */
  readonly username: Readonly<Record<'optional' | 'required' | 'optionalProblem' | 'requiredProblem', string>>
  /** The frame around the buttons of providers: with names in two columns, or with complete texts. */
  readonly providers: string
  readonly provider: Readonly<Record<'few' | 'many', string>>
  /** The frame around those buttons of providers that are hidden at first. */
  readonly moreProviders: string
  readonly language: string
}

/** The texts of the links below a page. */
export type FootWords = Readonly<Record<'links' | 'privacy' | 'terms' | 'support' | 'poweredBy', string>>

/** The error messages of forms. */
export interface FormWords {
  /** Error messages by error code. */
  readonly codes: Readonly<Record<string, { readonly field: string; readonly text: string }>>
  /** For each field, the message if it is empty. */
  readonly missing: Readonly<Record<string, string>>
  /** For each field, the message if its value is not possible. */
  readonly invalid: Readonly<Record<string, string>>
  readonly wait: string
  readonly busy: string
  readonly unknown: string
}

/** A text. If it depends on a number, there is one text for each plural form of the language. */
export type PaintedText = string | Readonly<Record<string, string>>

interface PaintedWords {
  readonly title: string | null
  /** For each kind of the page, what stands inside of the frame: the outline of the page, or the complete page if it needs no script. */
  readonly content: Readonly<Record<PaintKind, string>>
  readonly files: readonly string[]
  /**
   * The form, if it works without script. It has placeholders for values (`{{value:email}}`), for errors (`{{error:email}}`), for its
   * end, and for the parts after it.
   */
  readonly form?: PageForm
  /** The message that is shown after the form was sent, if no other page follows. */
  readonly sent?: string
  /** For each group of errors, the complete error page. All errors in a group have the same remedy. */
  readonly errors?: Readonly<Record<string, { readonly title: string; readonly content: string }>>
}

/** Replaces the placeholders `{{t:key}}` by texts. */
export const writeTexts = (html: string, textOf: (key: string) => unknown): string =>
  html.replace(/\{\{t:([\w.-]+)\}\}/g, (_, key: string) => {
    const text = textOf(key)
    return typeof text === 'string' ? escapeHtml(text) : ''
  })

/** The message for browsers without JavaScript. `sayIn` inserts its texts. */
export const withoutScript = (noScript: string, sayIn: (html: string) => string, name: string): string =>
  sayIn(noScript).replaceAll('{name}', () => escapeHtml(name))

/** Makes different spellings of an error code equal, such as `INVALID_TOKEN` and `invalid token`. */
export const plainCode = (code: string): string =>
  code
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

/**
 * The content of the file `first-paint.json`. The build renders it from the components of the pages, so that a page looks the same before
 * and after its script runs.
 */
export interface PaintFile {
  readonly paths: Readonly<Record<string, PaintedPage>>
  /** Pages for paths that match a regular expression. The first expression that matches is used. */
  readonly prefixes: readonly (readonly [pattern: string, page: PaintedPage])[]
  readonly notFound: PaintedPage
  /** For each provider, the parts of its logo. */
  readonly marks: Readonly<Record<string, readonly (readonly [color: string, path: string])[]>>
  readonly parts: PageParts
  /** The logo for a provider that has none in `marks`. */
  readonly gate: readonly (readonly [color: string, path: string])[]
  /** The page that makes the browser navigate to `{url}`. */
  readonly leaving: string
  /** The pages about problems. They need no script. Their placeholders are `{wait}`, `{name}` and `{requestId}`. */
  readonly problems: Readonly<Record<ProblemKind, { readonly title: string; readonly content: string }>>
  /** For each error code, its group of texts on the error page. Codes that are missing here belong to the group `unknown`. */
  readonly errorGroups: Readonly<Record<string, string>>
  readonly console: {
    /** The outline of the console, which is shown while its code loads. */
    readonly frame: string
    /** For each language that has all texts of the console: the files with these texts. */
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
        /** The texts for the placeholders `{{t:key}}`. */
        readonly texts: Readonly<Record<string, PaintedText>>
      }
    >
  >
}

/**
 * The form in which `first-paint.json` is stored. For other languages than English it contains only what differs from English, because
 * nearly everything else is the same.
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
