import { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { isSealed, type Secrets, sha256, WrongSecretError } from '../core/crypto.ts'
import type { Transact, Tx } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import * as store from './store.ts'

const Flow = z.object({
  providerId: z.string(),
  codeVerifier: z.string(),
  nonce: z.string(),
  callbackURL: z.string(),
  newUserCallbackURL: z.string().optional(),
  errorCallbackURL: z.string().optional(),
  requestSignUp: z.boolean(),
  /** The user to whom the account is to be linked; absent when somebody signs in. */
  linkTo: z.string().optional(),
})

/** What is known of a sign-in that went to a provider. */
export type Flow = z.output<typeof Flow>

export interface NewState {
  readonly state: string
  insert(tx: Tx): Promise<void>
}

export interface States {
  /** A state of 32 characters for this browser. `binding` is what its cookie holds. */
  prepare(flow: Flow, binding: string): NewState
  /** Uses a state up: once, in time, in the browser that began; undefined otherwise. A stranger's try leaves it as it is. */
  take(state: string, binding: string | undefined): Promise<Flow | undefined>
}

interface Deps {
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly secrets: Secrets
  readonly ttlSeconds: number
}

/** States in the `verification` table, whose expired rows accounts sweeps: found by hash of state and browser, their content sealed. */
export const createStates = ({ transact, clock, entropy, secrets, ttlSeconds }: Deps): States => {
  const identifierOf = (state: string, binding: string) => `${store.statePrefix}${sha256(`${sha256(state)}.${sha256(binding)}`)}`
  return {
    prepare: (flow, binding) => {
      const state = entropy.token(32)
      const id = entropy.id()
      const value = secrets.seal(JSON.stringify(flow), store.contextOf(id))
      const now = clock.now()
      const row = {
        id,
        identifier: identifierOf(state, binding),
        value,
        expiresAt: clock.after(ttlSeconds),
        createdAt: now,
        updatedAt: now,
      }
      return { state, insert: (tx) => store.insertState(tx, row) }
    },
    take: async (state, binding) => {
      if (binding === undefined) return undefined
      const row = await transact((tx) => store.takeState(tx, identifierOf(state, binding), clock.now()))
      if (row === undefined) return undefined
      const context = store.contextOf(row.id)
      if (!isSealed(row.value)) throw new WrongSecretError(context)
      return Flow.parse(JSON.parse(secrets.open(row.value, context)))
    },
  }
}
