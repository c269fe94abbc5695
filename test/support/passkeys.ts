/** People with passkeys, whose authenticators are software. */

import type { TestApp } from './app.ts'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import type { Answer, Client } from './client.ts'

type Page = Partial<Parameters<Authenticator['get']>[1]>

/** Steps with passkeys in browsers of the instance `t`. */
export const passkeySteps = (t: () => Pick<TestApp, 'url' | 'client' | 'signedIn'>) => {
  const page = (changes: Page = {}) => ({ origin: t().url, ...changes })

  /** Makes a passkey, and does not send it. */
  const create = async (client: Client, authenticator: Authenticator, changes?: Page, query = {}) =>
    authenticator.create(await client.api.passkeys.generateRegisterOptions({ query }), page(changes))
  const register = async (client: Client, authenticator: Authenticator, name?: string, query = {}) => {
    const response = await create(client, authenticator, {}, query)
    return client.api.passkeys.verifyRegistration({ body: { response, ...(name === undefined ? {} : { name }) } })
  }
  /** Signs with a passkey, and does not send the signature. */
  const sign = async (client: Client, authenticator: Authenticator, changes?: Page, named?: string) =>
    authenticator.get(await client.api.passkeys.generateAuthenticateOptions(), page(changes), named)
  const send = (client: Client, response: unknown): Promise<Answer> => client.post('/passkey/verify-authentication', { response })
  const signIn = async (client: Client, authenticator: Authenticator, changes?: Page, named?: string) =>
    send(client, await sign(client, authenticator, changes, named))
  /** A person who has just signed up and added a passkey. */
  const personWithPasskey = async (email: string, traits: Parameters<typeof createAuthenticator>[0] = {}) => {
    const client = await t().signedIn(email)
    const authenticator = createAuthenticator(traits)
    const passkey = await register(client, authenticator)
    return { client, authenticator, passkey }
  }
  return { create, register, sign, send, signIn, personWithPasskey }
}

/** Status and code of an answer, for comparisons. */
export const outcome = ({ status, json }: Answer) => [status, json['code'] ?? null]

/** Status and code of a refused call of the typed client. */
export const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (error: { status: number; code: string }) => [error.status, error.code],
  )
