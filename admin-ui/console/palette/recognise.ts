/** What a pasted text can be. */
export type Guess =
  | {
      readonly kind: 'jwt'
      readonly header: Readonly<Record<string, unknown>>
      readonly payload: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'email' | 'ip' | 'id' | 'invitation' | 'slug' | 'words'; readonly text: string }
  | { readonly kind: 'path'; readonly text: string }

const decodePart = (part: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Parses a text as a JSON Web Token (RFC 7519, section 7.2). The signature is not checked. Undefined for any other text. */
const jwtOf = (text: string): Guess | undefined => {
  const parts = text.split('.')
  if (parts.length !== 3) return undefined
  const [header, payload] = parts.map((part) => decodePart(part))
  return header === undefined || payload === undefined ? undefined : { kind: 'jwt', header, payload }
}

/** The id in the link of an invitation. The link's token, which proves control of the mailbox, is not sent anywhere. */
const invitationOf = (text: string): string | undefined =>
  /^https?:\/\/\S+?\/invitation\/([\w-]{16,64})(?:[?#]\S*)?$/.exec(text)?.[1]

/** Finds out from its form what a text can be. Nothing is sent to the server. */
export const recognise = (input: string): Guess | undefined => {
  const text = input.trim()
  if (text === '') return undefined
  const jwt = jwtOf(text.replace(/^Bearer\s+/i, ''))
  if (jwt !== undefined) return jwt
  if (/^\/admin(\/|$)/.test(text)) return { kind: 'path', text }
  const invitation = invitationOf(text)
  if (invitation !== undefined) return { kind: 'invitation', text: invitation }
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return { kind: 'email', text }
  if (/^(\d{1,3}\.){3}\d{1,3}$/.test(text) || (/^[\da-f:]+$/i.test(text) && text.split(':').length > 2))
    return { kind: 'ip', text }
  if (/^[\w-]{16,64}$/.test(text) || /^cus_\w{1,60}$/.test(text)) return { kind: 'id', text }
  if (/^[a-z\d]+(-[a-z\d]+)+$/.test(text)) return { kind: 'slug', text }
  return { kind: 'words', text }
}

export interface TokenTimes {
  readonly issuedAt: string | undefined
  readonly expiresAt: string | undefined
  readonly state: 'expired' | 'early' | 'current' | 'endless'
}

/** Converts seconds to a date. Undefined outside of the range of dates, for example for a time in nanoseconds. */
const instant = (value: unknown) => {
  const date = typeof value === 'number' ? new Date(value * 1000) : undefined
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Whether a token is valid at the time `now`, which is in milliseconds (RFC 7519, section 4.1). */
export const timesOf = (payload: Readonly<Record<string, unknown>>, now: number): TokenTimes => {
  const { iat, exp, nbf } = payload
  const seconds = now / 1000
  const state =
    typeof exp === 'number' && exp <= seconds
      ? 'expired'
      : typeof nbf === 'number' && nbf > seconds
        ? 'early'
        : exp === undefined
          ? 'endless'
          : 'current'
  return { issuedAt: instant(iat), expiresAt: instant(exp), state }
}
