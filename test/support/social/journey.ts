import type { Answer, Client } from '../client.ts'

/** What a browser is sent away with. */
export interface Departed {
  readonly url: string
  readonly state: string
}

/** Begins at a provider and gives the address the browser would go to. */
export const depart = async (client: Client, body: Record<string, unknown>, path = '/sign-in/social'): Promise<Departed> => {
  const answer = await client.post(path, body)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  const url = String(answer.json['url'])
  return { url, state: new URL(url).searchParams.get('state') ?? '' }
}

/** Lets the provider decide; gives the address it sends the browser back to. */
export const atProvider = async (url: string): Promise<string> => {
  const answer = await fetch(url, { redirect: 'manual' })
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`the provider answered ${answer.status} ${await answer.text()}`)
  return location
}

/** The whole journey; the answer of the callback is that of the last step. */
export const signInAt = async (client: Client, body: Record<string, unknown>, path?: string): Promise<Answer> => {
  const { url } = await depart(client, body, path)
  return client.request(await atProvider(url))
}

/** The value of `?error=` in a redirect. */
export const errorOf = ({ location }: Answer): string | null =>
  location === null ? null : new URL(location, 'http://x').searchParams.get('error')
