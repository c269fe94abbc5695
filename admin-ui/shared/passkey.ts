import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'

/** Options from the server; only the browser interprets them. */
interface Options {
  readonly challenge: string
  /** Lifetime of the challenge, in milliseconds. */
  readonly timeout: number
}

/** The browser's answer as JSON. */
type AsJson<R> = Omit<R, 'clientExtensionResults'> & { readonly clientExtensionResults: Record<string, never> }

/** True if the browser supports passkeys, which needs a secure address. */
export const knowsPasskeys = (): boolean => typeof window.PublicKeyCredential === 'function'

/** True if the browser offers passkeys in an autofill field. */
export const fillsPasskeys = async (): Promise<boolean> =>
  knowsPasskeys() &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  ((await PublicKeyCredential.isConditionalMediationAvailable?.().catch(() => false)) ?? false)

/** The pending request of a field. Browsers allow only one at a time. */
let waiting: AbortController | undefined

/** Reason to end the pending request for good: the person is signed in, and the browser now makes a passkey. */
export const isOver = 'over'

/**
 * Waits until the person chooses a passkey in the autofill of the field with `autocomplete="… webauthn"`. Rejects shortly before the
 * challenge expires. It uses the browser's functions directly, so that the sign-in page does not need the library.
 */
export const offerPasskeys = async (options: Options): Promise<AsJson<AuthenticationResponseJSON>> => {
  waiting?.abort()
  const asked = new AbortController()
  waiting = asked
  setTimeout(() => asked.abort(), options.timeout * 0.9)
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const chosen = await navigator.credentials.get({ publicKey, mediation: 'conditional', signal: asked.signal })
  return (chosen as PublicKeyCredential).toJSON() as AsJson<AuthenticationResponseJSON>
}

/** Lets the person choose a passkey in the browser's dialog. */
export const askForPasskey = async (options: Options): Promise<AsJson<AuthenticationResponseJSON>> => {
  waiting?.abort()
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON
  return (await startAuthentication({ optionsJSON })) as AsJson<AuthenticationResponseJSON>
}

class NotMadeError extends Error {
  override name = 'NotMadeError'
}

/** Makes a passkey. With `bySelf` the browser makes it without a question, and refuses if it cannot. */
export const makePasskey = async (options: Options, bySelf = false): Promise<AsJson<RegistrationResponseJSON>> => {
  waiting?.abort(isOver)
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON
  const made = startRegistration({ optionsJSON, useAutoRegister: bySelf }).catch((error: unknown) => {
    // Browsers use this error name for a cancelled request and for a missing passkey. When a passkey is made, none can be missing.
    throw error instanceof Error && error.name === 'NotAllowedError' ? new NotMadeError() : error
  })
  return (await made) as AsJson<RegistrationResponseJSON>
}
