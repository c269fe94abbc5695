import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'

/** A page as the build has rendered it. The server replaces `{{…}}`. */
export interface PaintedPage {
  readonly name: string
  readonly frame: 'card' | 'wide'
  /** Asks who is signed in. */
  readonly session: boolean
  /** Shows the marks of the providers. */
  readonly marks: boolean
  /** Files of its code. Pages whose form works without them load them once somebody does something. */
  readonly files: readonly string[]
  /** Style sheets that it needs beside that of every page. */
  readonly styles: readonly string[]
}

/** `client`: for the sign-in of an application. `other`: the address names an error or where to go on, which only the page reads. */
export type PaintKind = 'plain' | 'client' | 'other'

/**
 * The reasons that keep a browser from every page: `tooMany`: a rate limit; `failed`: an error of the server; `unavailable`: the database or a queue that
 * is full; `maintenance`: the database is being migrated.
 */
export type ProblemKind = 'tooMany' | 'failed' | 'unavailable' | 'maintenance'

/**
 * A form in each of its states, on a page of its own or on the way to an application. The states are the names of the fields where something is wrong,
 * in the order of the form with blanks between them; empty: nothing is wrong in a field. More states: `first` asks for the address alone, `known` has the
 * address filled in, `bare` is the page without a form, and `sent` asks for what was mailed.
 */
export type PageForm = Readonly<Record<'plain' | 'client', Readonly<Record<string, string>>>>

/** What stands in the pages of forms as the settings have it. Texts are `{{t:…}}`, other places are named in braces of the same kind. */
export interface PageParts {
  /** The end of a form: with a last line or without one, with what is said about all of the form or without it. */
  readonly ends: Readonly<Record<'bare' | 'foot' | 'bareProblem' | 'footProblem', string>>
  /** The last line, by the page: the way to another page. */
  readonly foots: Readonly<Record<string, string>>
  /** The last line of a card. */
  readonly cardFoot: string
  readonly divider: string
  /** Sign-in methods besides the password, and each of them. */
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
  /** The providers that do not show at first. */
  readonly moreProviders: string
  readonly language: string
}

/** Words of the links below a page. */
export type FootWords = Readonly<Record<'links' | 'privacy' | 'terms' | 'support' | 'poweredBy', string>>

/** The messages of forms about refusals. */
export interface FormWords {
  /** By the code of the refusal. */
  readonly codes: Readonly<Record<string, { readonly field: string; readonly text: string }>>
  /** Of fields that were left empty. */
  readonly missing: Readonly<Record<string, string>>
  /** Of fields whose value cannot be right. */
  readonly invalid: Readonly<Record<string, string>>
  readonly wait: string
  readonly busy: string
  readonly unknown: string
}

/** One text, or one for each plural form of its language. */
export type PaintedText = string | Readonly<Record<string, string>>

interface PaintedWords {
  readonly title: string | null
  /** The content of the frame: the shape of the page, or all of it where it needs no script. */
  readonly content: Readonly<Record<PaintKind, string>>
  readonly files: readonly string[]
  /** The form itself, where the settings allow it: it works without a script, with places for values (`{{value:email}}`), errors (`{{error:email}}`), its end and what follows. */
  readonly form?: PageForm
  /** The message after the form was sent, where no other page follows. */
  readonly sent?: string
  /** The whole page of errors, by the remedy for the person. */
  readonly errors?: Readonly<Record<string, { readonly title: string; readonly content: string }>>
}

/** Writes texts where the build has left their keys as `{{t:key}}`. */
export const writeTexts = (html: string, textOf: (key: string) => unknown): string =>
  html.replace(/\{\{t:([\w.-]+)\}\}/g, (_, key: string) => {
    const text = textOf(key)
    return typeof text === 'string' ? escapeHtml(text) : ''
  })

/** The page without JavaScript, with its texts in place; `sayIn` writes them. */
export const withoutScript = (noScript: string, sayIn: (html: string) => string, name: string): string =>
  sayIn(noScript).replaceAll('{name}', () => escapeHtml(name))

/** An error code in one spelling: `INVALID_TOKEN` and `invalid token` are the same. */
export const plainCode = (code: string): string =>
  code
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

/** `first-paint.json` of the built pages: made of their components, so that both draw the same. */
export interface PaintFile {
  readonly paths: Readonly<Record<string, PaintedPage>>
  /** Addresses that are many, by regular expressions; the first that fits. */
  readonly prefixes: readonly (readonly [pattern: string, page: PaintedPage])[]
  readonly notFound: PaintedPage
  /** Pieces of the marks of providers, by the provider. */
  readonly marks: Readonly<Record<string, readonly (readonly [color: string, path: string])[]>>
  readonly parts: PageParts
  /** The mark of a provider that has none in `marks`. */
  readonly gate: readonly (readonly [color: string, path: string])[]
  /** The content of the page on the way to `{url}`. */
  readonly leaving: string
  /** The page of a problem, which needs no script and has places for `{wait}`, `{name}` and `{requestId}`. */
  readonly problems: Readonly<Record<ProblemKind, { readonly title: string; readonly content: string }>>
  /** The texts of the page of errors by code; all other codes have the texts of `unknown`. */
  readonly errorGroups: Readonly<Record<string, string>>
  readonly console: {
    /** The shape of the console while its code is on its way. */
    readonly frame: string
    /** Languages that it has all texts of, each with the files of its texts. */
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
        /** The texts that stand in pages as `{{t:key}}`. */
        readonly texts: Readonly<Record<string, PaintedText>>
      }
    >
  >
}
