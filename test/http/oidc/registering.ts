/** Clients that register themselves, for tests. */
import type { TestApp } from '../../support/app.ts'
import type { Answer } from '../../support/client.ts'
import { redirectUri } from './flow.ts'

/** A request as programs send it: without cookies and Origin, with a Bearer token. */
export const send = async (t: TestApp, method: string, path: string, body?: unknown, token?: string): Promise<Answer> => {
  const response = await fetch(new URL(path, t.url), {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === '' ? {} : JSON.parse(text), location: null }
}

/** A registration by a stranger, or by the holder of a token. */
export const registers = (t: TestApp, metadata: object = {}, token?: string): Promise<Answer> =>
  send(t, 'POST', '/oauth2/register', { redirect_uris: [redirectUri], ...metadata }, token)

/** A registered client, in the form that tests use. */
export const registered = async (t: TestApp, metadata: object = {}, token?: string) => {
  const { status, json, text } = await registers(t, metadata, token)
  if (status !== 201) throw new Error(text)
  const { client_id, client_secret, registration_access_token } = json as Record<string, string>
  const clientId = client_id ?? ''
  return { json, clientId, secret: client_secret, token: registration_access_token ?? '', path: `/oauth2/register/${clientId}` }
}

/** Status, error and description of a refusal. */
export const refusal = ({ status, json }: Answer) => [status, json['error'], json['error_description']]
