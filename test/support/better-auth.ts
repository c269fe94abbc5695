import { createAuthClient } from 'better-auth/client'
import { expect } from 'vitest'
import type { TestApp } from './app.ts'

/** The official client in a browser without a screen. It gets no information except the address of the server. */
export const officialClient = (t: Pick<TestApp, 'url' | 'client'>) => {
  const browser = t.client()
  // This replaces a browser's fetch, which stores cookies and sends the origin by itself.
  const auth = createAuthClient({ baseURL: t.url, fetchOptions: { customFetchImpl: browser.fetch } })
  return { auth, browser }
}

interface Outcome<D> {
  readonly data: D
  readonly error: unknown
}

/** The data of a call that succeeded. */
export const done = <D>({ data, error }: Outcome<D>): NonNullable<D> => {
  expect(error).toBeNull()
  return data as NonNullable<D>
}

/** Status, code and message of a call that was refused, as an application reads them. */
export const refused = ({ data, error }: Outcome<unknown>) => {
  expect(data).toBeNull()
  const { status, code, message } = error as { status: number; code?: string; message?: string }
  return [status, code, message]
}
