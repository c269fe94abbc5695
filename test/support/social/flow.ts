import type { Answer, Client } from '../client.ts'

/** The authorization request that a browser is sent to. */
export interface StartedSignIn {
  readonly url: string
  readonly state: string
}

/** Starts at a provider; returns the address that the browser would open. */
export const startAtProvider = async (
  client: Client,
  body: Record<string, unknown>,
  path = '/sign-in/social',
): Promise<StartedSignIn> => {
  const answer = await client.post(path, body)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  const url = String(answer.json['url'])
  return { url, state: new URL(url).searchParams.get('state') ?? '' }
}

/** Opens the provider's address; returns the callback address that it redirects to. */
export const atProvider = async (url: string): Promise<string> => {
  const answer = await fetch(url, { redirect: 'manual' })
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`the provider answered ${answer.status} ${await answer.text()}`)
  return location
}

/** The whole sign-in; returns the response of the callback. */
export const signInAt = async (client: Client, body: Record<string, unknown>, path?: string): Promise<Answer> => {
  const { url } = await startAtProvider(client, body, path)
  return client.request(await atProvider(url))
}

/** The value of `?error=` in a redirect. */
export const errorOf = ({ location }: Answer): string | null =>
  location === null ? null : new URL(location, 'http://x').searchParams.get('error')
