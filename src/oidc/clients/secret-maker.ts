import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { oidcErrors } from '../contract.ts'
import { hintLength, needsWholeSecret, secretProblem } from './rules.ts'
import * as store from './store.ts'

/** A new secret, and the row in which it will be stored. */
interface MadeSecret {
  readonly secret: string
  readonly row: store.SecretRow
}

export interface SecretMaker {
  /** Makes a secret for a client. The secret is random, or `given` if the operator has chosen one. Throws CLIENT_SECRET_IS_TOO_WEAK. */
  make(client: Pick<store.ClientRow, 'id' | 'clientId' | 'idTokenAlg' | 'metadata'>, slot: number, given?: string): MadeSecret
}

export const createSecretMaker = ({ clock, random, secrets }: Pick<Core, 'clock' | 'random' | 'secrets'>): SecretMaker => ({
  make: ({ id, clientId, idTokenAlg, metadata }, slot, given) => {
    const problem = given === undefined ? undefined : secretProblem(given, clientId)
    if (problem !== undefined) throw oidcErrors.error('CLIENT_SECRET_IS_TOO_WEAK', { message: `The secret ${problem}` })
    const secret = given ?? random.token(32)
    const row = {
      id: random.id(),
      oauthClientId: id,
      slot,
      secret: needsWholeSecret({ ...metadata, idTokenAlg }) ? secrets.seal(secret, store.contextOf(id)) : sha256(secret),
      hint: secret.slice(0, hintLength),
      createdAt: clock.now(),
      expiresAt: null,
      lastUsedAt: null,
    }
    return { secret, row }
  },
})
