/** Clients that authenticate by assertions, for tests. */
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { TestApp } from '../../support/app.ts'
import type { Answer } from '../../support/client.ts'
import type { Params } from './flow.ts'

export interface SigningKey {
  readonly alg: string
  readonly kid: string
  readonly privateKey: CryptoKey
  /** The public key, as the client registers or publishes it. */
  readonly jwk: Readonly<Record<string, string>>
}

export const newKey = async (kid = 'k1', alg = 'ES256', options = {}): Promise<SigningKey> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...options })
  const jwk = (await exportJWK(publicKey)) as Record<string, string>
  return { alg, kid, privateKey, jwk: { ...jwk, kid, alg, use: 'sig' } }
}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export interface Changes {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
}

let count = 0

/** A valid assertion of the client with changes. `undefined` leaves a claim out. */
export const assert = (
  t: TestApp,
  clientId: string,
  key: Pick<SigningKey, 'alg' | 'kid'> & { readonly privateKey: CryptoKey | Uint8Array },
  { claims = {}, header = {} }: Changes = {},
): Promise<string> => {
  const now = Math.floor(Date.now() / 1000)
  count += 1
  const said = { iss: clientId, sub: clientId, aud: t.url, jti: `jti-${count}`, iat: now, exp: now + 60, ...claims }
  const kept = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  return new SignJWT(kept).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey)
}

/** Posts a form with an assertion instead of a secret. */
export const postAsserted = async (
  t: TestApp,
  path: string,
  assertion: string,
  form: Params | [string, string][],
): Promise<Answer> => {
  const pairs = Array.isArray(form) ? form : Object.entries(form).map(([name, value]): [string, string] => [name, value ?? ''])
  const body = new URLSearchParams([...pairs, ['client_assertion_type', assertionType], ['client_assertion', assertion]])
  const answer = await fetch(new URL(path, t.url), { method: 'POST', body })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: text === '' ? {} : JSON.parse(text), location: null }
}

/** Requests a token of the machine itself. */
export const askToken = (t: TestApp, assertion: string, form: Params = {}): Promise<Answer> =>
  postAsserted(t, '/oauth2/token', assertion, { grant_type: 'client_credentials', ...form })
