import type { SessionAnswer, Settings } from './types.ts'

/** An error as the server writes it. */
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

/** An answer that the server writes line by line. */
export class JsonLines {
  readonly lines: readonly unknown[]

  constructor(lines: readonly unknown[]) {
    this.lines = lines
  }
}

/** Stands for a call without an answer, so that the page keeps waiting. */
export const waiting = Symbol('waiting')
/** Stands for a call that does not reach the server. */
export const unreachable = Symbol('unreachable')

/**
 * Answers by method and path, such as `GET /get-session`. A value other than `Refusal`, `JsonLines` or a symbol is the JSON of a
 * successful answer.
 */
export type Answers = Readonly<Record<string, unknown>>

/** A person's action before the state is reached. Elements are found by selector, because texts differ by language. */
export type Step =
  | { readonly fill: string; readonly with: string }
  /** `at` is the index among several elements, from 0. */
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
  /** True for a state that shows the shape of the page, which has no title. */
  readonly isWaiting?: boolean
}

export const fill = (name: string, value: string): Step => ({ fill: `[name=${name}]`, with: value })
export const press = (selector: string, at = 0): Step => ({ press: selector, at })
/** The action that sends the form. */
export const send: Step = { press: 'main form [type=submit]' }
