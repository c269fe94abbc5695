import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { TestApp } from '../../support/app.ts'
import type { Answer, Client as Browser } from '../../support/client.ts'
import { type Application, authorizePath, goOn, type Params, queryOf, register } from './flow.ts'
import { type ClientKey, codeForm, postWithProof, proofFor } from './proofs.ts'

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** An application of the profile fapi2 with its key. */
export interface Strict extends Application {
  readonly key: ClientKey
}

export const registerStrict = async (t: TestApp, key: ClientKey, more: Parameters<typeof register>[1] = {}): Promise<Strict> => {
  const jwks = { keys: [{ ...key.publicKey, alg: key.alg, use: 'sig' }] } as never
  const { clientId } = await register(t, { profile: 'fapi2', jwks, ...more })
  return { clientId, secret: undefined, key }
}

/** The assertion by which the application authenticates (RFC 7523). Claims given as undefined are left out. */
export const assertionOf = (
  t: TestApp,
  { clientId, key }: Strict,
  claims: Readonly<Record<string, unknown>> = {},
  by = key,
): Promise<string> => {
  const now = Math.floor(Date.now() / 1000)
  const payload = { iss: clientId, sub: clientId, aud: t.url, iat: now, exp: now + 60, jti: randomUUID(), ...claims }
  return new SignJWT(JSON.parse(JSON.stringify(payload))).setProtectedHeader({ alg: by.alg }).sign(by.privateKey)
}

/** Posts a form with an assertion and, unless it is undefined, a proof. */
export const postStrictly = async (
  t: TestApp,
  application: Strict,
  path: string,
  form: Params,
  { proof = proofFor(t, application.key, path), assertion = assertionOf(t, application) } = {} as {
    readonly proof?: Promise<string> | Promise<undefined>
    readonly assertion?: Promise<string>
  },
): Promise<Answer> =>
  postWithProof(
    ...([t, application, path] as const),
    { ...form, client_assertion_type: assertionType, client_assertion: await assertion },
    await proof,
  )

/** Pushes a request. Returns the path at which the browser starts. */
export const pushStrictly = async (t: TestApp, application: Strict, params: Params = {}) => {
  const { client_id: _, ...form } = queryOf(authorizePath(application, params))
  const answer = await postStrictly(t, application, '/oauth2/par', form)
  const query = new URLSearchParams({ client_id: application.clientId, request_uri: String(answer.json['request_uri']) })
  return { answer, path: `/oauth2/authorize?${query}` }
}

export const strictCode = async (t: TestApp, browser: Browser, application: Strict, params: Params = {}): Promise<string> => {
  const { answer, path } = await pushStrictly(t, application, params)
  const { code } = queryOf((await goOn(browser, await browser.request(path))).location)
  if (code === undefined) throw new Error(`no code: ${answer.text}`)
  return code
}

export const redeemStrictly = async (t: TestApp, browser: Browser, application: Strict, params: Params = {}): Promise<Answer> =>
  postStrictly(t, application, '/oauth2/token', codeForm(await strictCode(t, browser, application, params)))
