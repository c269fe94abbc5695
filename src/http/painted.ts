import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'

/** A page rendered by the build. The server replaces `{{…}}`. */
export interface PaintedPage {
  readonly name: string
  readonly frame: 'card' | 'wide'
  /** The page requests the session. */
  readonly session: boolean
  /** The page shows the marks of the providers. */
  readonly marks: boolean
  /** Files of its code. A page with a working form loads them at the first action. */
  readonly files: readonly string[]
  /** Further style sheets, beside that of every page. */
  readonly styles: readonly string[]
}

/** `client`: the sign-in to an application. `other`: the address contains an error or a target that only the page reads. */
export type PaintKind = 'plain' | 'client' | 'other'

/**
 * Reasons that keep a browser from every page. `tooMany`: a rate limit; `failed`: a server error; `unavailable`: the database, or a full
 * queue; `maintenance`: a migration of the database.
 */
export type ProblemKind = 'tooMany' | 'failed' | 'unavailable' | 'maintenance'

/**
 * A form in each of its states, on a page of its own or in a sign-in to an application. A state is the names of the invalid fields in the
 * order of the form, separated by blanks; empty: none. More states: `first` asks for the address alone, `known` has the address filled in, `bare` is the
 * page without a form, and `sent` asks for the mailed code.
 */
export type PageForm = Readonly<Record<'plain' | 'client', Readonly<Record<string, string>>>>

/** Contents of pages with forms that depend on the settings. Texts are `{{t:…}}`, other places are named in such braces, too. */
export interface PageParts {
  /** The end of a form, with or without a last line, with or without a message about the whole form. */
  readonly ends: Readonly<Record<'bare' | 'foot' | 'bareProblem' | 'footProblem', string>>
  /** The last line of each page: a link to another page. */
  readonly foots: Readonly<Record<string, string>>
  /** The last line of a card. */
  readonly cardFoot: string
  readonly divider: string
  /** The group of sign-in methods besides the password, and each of them. */
  readonly ways: string
  readonly passkey: string
  readonly mail: string
  readonly signUpMail: string
  /** Says that there is no sign-in method. */
  readonly noWay: string
  /** The link to a new password. */
  readonly forgot: string
  /** The field for a user name, by whether one is required, and with its problem. */
  readonly username: Readonly<Record<'optional' | 'required' | 'optionalProblem' | 'requiredProblem', string>>
  /** The buttons of providers with their names alone, in two columns, or with the whole text. */
  readonly providers: string
  readonly provider: Readonly<Record<'few' | 'many', string>>
  /** Providers that are hidden at first. */
  readonly moreProviders: string
  readonly language: string
}

/** Texts of the links below a page. */
export type FootWords = Readonly<Record<'links' | 'privacy' | 'terms' | 'support' | 'poweredBy', string>>

/** Messages of forms about refusals. */
export interface FormWords {
  /** Messages by error code. */
  readonly codes: Readonly<Record<string, { readonly field: string; readonly text: string }>>
  /** Messages of empty fields. */
  readonly missing: Readonly<Record<string, string>>
  /** Messages of fields with an impossible value. */
  readonly invalid: Readonly<Record<string, string>>
  readonly wait: string
  readonly busy: string
  readonly unknown: string
}

/** A text, or one for each plural form of its language. */
export type PaintedText = string | Readonly<Record<string, string>>

interface PaintedWords {
  readonly title: string | null
  /** The content of the frame: the shape of the page, or the whole page if it needs no script. */
  readonly content: Readonly<Record<PaintKind, string>>
  readonly files: readonly string[]
  /**
   * The form itself, if the settings allow it without script: with places for values (`{{value:email}}`), errors (`{{error:email}}`), its
   * end, and the parts after it.
   */
  readonly form?: PageForm
  /** The message after a sent form that leads to no other page. */
  readonly sent?: string
  /** The whole error page, by the remedy for the person. */
  readonly errors?: Readonly<Record<string, { readonly title: string; readonly content: string }>>
}

/** Replaces the keys `{{t:key}}` of the build by texts. */
export const writeTexts = (html: string, textOf: (key: string) => unknown): string =>
  html.replace(/\{\{t:([\w.-]+)\}\}/g, (_, key: string) => {
    const text = textOf(key)
    return typeof text === 'string' ? escapeHtml(text) : ''
  })

/** The page without JavaScript, with its texts; `sayIn` inserts them. */
export const withoutScript = (noScript: string, sayIn: (html: string) => string, name: string): string =>
  sayIn(noScript).replaceAll('{name}', () => escapeHtml(name))

/** An error code in one spelling: `INVALID_TOKEN` and `invalid token` are equal. */
export const plainCode = (code: string): string =>
  code
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

/** `first-paint.json` of the built pages, rendered from their components, so that both look the same. */
export interface PaintFile {
  readonly paths: Readonly<Record<string, PaintedPage>>
  /** Groups of addresses, by regular expression; the first match applies. */
  readonly prefixes: readonly (readonly [pattern: string, page: PaintedPage])[]
  readonly notFound: PaintedPage
  /** Parts of the providers' marks, by provider. */
  readonly marks: Readonly<Record<string, readonly (readonly [color: string, path: string])[]>>
  readonly parts: PageParts
  /** The mark of a provider outside of `marks`. */
  readonly gate: readonly (readonly [color: string, path: string])[]
  /** The content of the page that leaves for `{url}`. */
  readonly leaving: string
  /** The page of a problem, which needs no script; places for `{wait}`, `{name}` and `{requestId}`. */
  readonly problems: Readonly<Record<ProblemKind, { readonly title: string; readonly content: string }>>
  /** Texts of the error page by code; other codes have the texts of `unknown`. */
  readonly errorGroups: Readonly<Record<string, string>>
  readonly console: {
    /** The shape of the console while its code loads. */
    readonly frame: string
    /** Languages with all texts of the console, each with its files of texts. */
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
        /** Texts that pages contain as `{{t:key}}`. */
        readonly texts: Readonly<Record<string, PaintedText>>
      }
    >
  >
}

/** `first-paint.json` itself: of the pages of a language only what is not as in English, since all but the files of its texts is the same. */
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
