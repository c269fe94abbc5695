import type { SessionAnswer, Settings } from './types.ts'

/** An error response of the server. */
export class Refusal {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export const refused = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Refusal =>
  new Refusal(status, code, headers)

/** A response that the server writes line by line. */
export class JsonLines {
  readonly lines: readonly unknown[]

  constructor(lines: readonly unknown[]) {
    this.lines = lines
  }
}

/** In place of a response, this means that the server never responds. */
export const waiting = Symbol('waiting')
/** In place of a response, this means that the server cannot be reached. */
export const unreachable = Symbol('unreachable')

/**
 * The server's responses by method and path, such as `GET /get-session`. A value that is no `Refusal`, `JsonLines` or symbol is the JSON
 * body of a successful response.
 */
export type Answers = Readonly<Record<string, unknown>>

/** What the person does before the state is reached. Elements are found by selector, because texts differ between languages. */
export type Step =
  | { readonly fill: string; readonly with: string }
  /** `at` says which of several matching elements is meant, counted from 0. */
  | { readonly press: string; readonly at?: number }

/** A state of a hosted page, with the server's answers. */
export interface State {
  /** The name of the state, with its page: `sign-in/wrong-password`. */
  readonly id: string
  /** The address of the page, with parameters. */
  readonly path: string
  readonly settings?: Partial<Settings>
  /** The session. Null or absent if nobody is signed in. */
  readonly session?: SessionAnswer | null
  readonly answers?: Answers
  readonly steps?: readonly Step[]
  /** True for a state in which the page shows its skeleton, and therefore has no title. */
  readonly isWaiting?: boolean
}

export const fill = (name: string, value: string): Step => ({ fill: `[name=${name}]`, with: value })
export const press = (selector: string, at = 0): Step => ({ press: selector, at })
/** The action that sends the form. */
export const send: Step = { press: 'main form [type=submit]' }
