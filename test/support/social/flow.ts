import type { Answer, Client } from '../client.ts'

/** The authorization request to which the server redirects a browser. */
export interface StartedSignIn {
  readonly url: string
  readonly state: string
}

/** Starts a sign-in at a provider. Returns the address that the browser would open. */
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

/** Opens the provider's address. Returns the callback address of its redirect. */
export const atProvider = async (url: string): Promise<string> => {
  const answer = await fetch(url, { redirect: 'manual' })
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`the provider answered ${answer.status} ${await answer.text()}`)
  return location
}

/** Performs the whole sign-in. Returns the response of the callback. */
export const signInAt = async (client: Client, body: Record<string, unknown>, path?: string): Promise<Answer> => {
  const { url } = await startAtProvider(client, body, path)
  return client.request(await atProvider(url))
}

/** The value of the parameter `error` in a redirect. */
export const errorOf = ({ location }: Answer): string | null =>
  location === null ? null : new URL(location, 'http://x').searchParams.get('error')
