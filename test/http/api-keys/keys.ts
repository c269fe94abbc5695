/** API keys as programs use them, for tests. */
import type { Permission } from '../../../src/access/permissions.ts'
import type { TestApp } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { operator } from '../organizations/people.ts'

/** The fields of a new key that tests set. */
export interface KeyOptions {
  readonly permissions: readonly Permission[]
  readonly [setting: string]: unknown
}

/** Creates a key as a signed-in person, or with `organizationId` a key of the organization. */
export const createKey = async (client: Client, { permissions, ...more }: KeyOptions): Promise<{ id: string; key: string }> => {
  const { status, json, text } = await client.post('/api-key/create', { name: 'Test', permissions, ...more })
  if (status !== 200) throw new Error(text)
  return json as unknown as { id: string; key: string }
}

/** Creates a key of the instance as an operator. */
export const instanceKey = async (t: TestApp, permissions: readonly Permission[]): Promise<string> =>
  (await t.app.apiKeys.create(operator, { kind: 'instance' }, { name: 'Test', permissions: permissions as never })).key

/** A program that sends only a key: no cookies, no Origin. */
export const program = (t: TestApp, key: string) => {
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${key}`)
    const response = await fetch(new URL(path, t.url), { ...init, headers, redirect: 'manual' })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== ''
    const location = response.headers.get('location')
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {}, location }
  }
  return {
    get: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
    post: (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
      send(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
    send,
  }
}

/** Status and code of an answer. */
export const outcome = async (answer: Promise<Answer>): Promise<readonly [status: number, code: unknown]> => {
  const { status, json } = await answer
  return [status, (json as typeof json | null)?.['code']]
}
