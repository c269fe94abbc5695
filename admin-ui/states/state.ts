import type { SessionAnswer, Settings } from './types.ts'

/** An error in the server's form. */
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

/** An answer that is written line by line. */
export class JsonLines {
  readonly lines: readonly unknown[]

  constructor(lines: readonly unknown[]) {
    this.lines = lines
  }
}

/** No answer: the page keeps waiting. */
export const waiting = Symbol('waiting')
/** No connection. */
export const unreachable = Symbol('unreachable')

/** By method and path, as `GET /get-session`. Values other than `Refusal`, `JsonLines` or symbol are the JSON of a success. */
export type Answers = Readonly<Record<string, unknown>>

/** A person's action before the state is reached; elements by selector, because texts differ by language. */
export type Step =
  | { readonly fill: string; readonly with: string }
  /** `at`: index among several, from 0. */
  | { readonly press: string; readonly at?: number }

/** A state of a hosted page, with the server's answers. */
export interface State {
  /** Page and state: `sign-in/wrong-password`. */
  readonly id: string
  /** Address with parameters. */
  readonly path: string
  readonly settings?: Partial<Settings>
  /** Null or absent: nobody is signed in. */
  readonly session?: SessionAnswer | null
  readonly answers?: Answers
  readonly steps?: readonly Step[]
  /** True for a state without a title: the shape of the page is shown. */
  readonly isWaiting?: boolean
}

export const fill = (name: string, value: string): Step => ({ fill: `[name=${name}]`, with: value })
export const press = (selector: string, at = 0): Step => ({ press: selector, at })
/** Sends the form. */
export const send: Step = { press: 'main form [type=submit]' }
