import { randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { sha256 } from '../../../src/core/crypto.ts'
import type { TestApp } from '../../support/app.ts'
import type { Answer } from '../../support/client.ts'
import { type Application, type Params, redirectUri, verifier } from './flow.ts'

/** A client's key pair: for proofs, signed requests and assertions. */
export interface ClientKey {
  readonly alg: string
  readonly publicKey: JWK
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
  readonly thumbprint: string
}

export const clientKey = async (alg = 'ES256'): Promise<ClientKey> => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { alg, publicKey: jwk, privateKey, thumbprint: await calculateJwkThumbprint(jwk) }
}

export interface ProofParts {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
}

/** A proof of possession (RFC 9449, section 4.2) for a request to this path. Claims given as undefined are left out. */
export const proofFor = (
  t: TestApp,
  key: ClientKey,
  path: string,
  { claims = {}, header = {} }: ProofParts = {},
  method = 'POST',
): Promise<string> => {
  const now = Math.floor(Date.now() / 1000)
  const payload = { htm: method, htu: `${t.url}${path}`, iat: now, jti: randomUUID(), ...claims }
  return new SignJWT(JSON.parse(JSON.stringify(payload)))
    .setProtectedHeader({ alg: key.alg, typ: 'dpop+jwt', jwk: key.publicKey, ...header })
    .sign(key.privateKey)
}

/** The hash of an access token, for a proof of its use. */
export const athOf = (token: unknown): string => Buffer.from(sha256(String(token)), 'hex').toString('base64url')

/** Posts a form with a proof, as a back end does. */
export const postWithProof = async (
  t: TestApp,
  { clientId, secret }: Application,
  path: string,
  form: Params,
  proof: string | readonly string[] | undefined,
): Promise<Answer> => {
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
  for (const one of [proof ?? []].flat()) headers.append('dpop', one)
  if (secret !== undefined) headers.set('authorization', `Basic ${btoa(`${clientId}:${secret}`)}`)
  const sent = Object.entries(secret === undefined ? { client_id: clientId, ...form } : form)
  const body = new URLSearchParams(sent.filter((pair): pair is [string, string] => pair[1] !== undefined)).toString()
  const answer = await fetch(new URL(path, t.url), { method: 'POST', headers, body })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: text === '' ? {} : JSON.parse(text), location: null }
}

export const codeForm = (code: string): Params => ({
  ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
})
