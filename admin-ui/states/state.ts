import type { SessionAnswer, Settings } from './types.ts'

/** An error as the server answers it. */
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

/** An answer that is written as it is found out, line by line. */
export class JsonLines {
  readonly lines: readonly unknown[]

  constructor(lines: readonly unknown[]) {
    this.lines = lines
  }
}

/** The answer does not come: the page goes on waiting. */
export const waiting = Symbol('waiting')
/** No connection. */
export const unreachable = Symbol('unreachable')

/** By method and path, as `GET /get-session`. Whatever is no `Refusal`, `JsonLines` or symbol is the JSON of a success. */
export type Answers = Readonly<Record<string, unknown>>

/** What a person does before the state is there; elements by selector, because texts differ by language. */
export type Step =
  | { readonly fill: string; readonly with: string }
  /** `at`: which of several, from 0. */
  | { readonly press: string; readonly at?: number }

/** One state of one hosted page, with what the server answers in it. */
export interface State {
  /** Page and state: `sign-in/wrong-password`. */
  readonly id: string
  /** Address, with its parameters. */
  readonly path: string
  readonly settings?: Partial<Settings>
  /** Null, or left out: nobody is signed in. */
  readonly session?: SessionAnswer | null
  readonly answers?: Answers
  readonly steps?: readonly Step[]
  /** There is no title to wait for: the shape of the page stands. */
  readonly isWaiting?: boolean
}

export const fill = (name: string, value: string): Step => ({ fill: `[name=${name}]`, with: value })
export const press = (selector: string, at = 0): Step => ({ press: selector, at })
/** Sends the form. */
export const send: Step = { press: 'main form [type=submit]' }
