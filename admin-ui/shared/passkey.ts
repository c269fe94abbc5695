import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'

/** Options of a passkey request, as the server sends them. Only the browser interprets them. */
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

/** The pending request for passkeys in an autofill field. Browsers allow only one such request at a time. */
let waiting: AbortController | undefined

/** The reason with which the pending request is aborted when the person has signed in and the browser makes a passkey. */
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

/** Makes a passkey. With `bySelf`, the browser makes it without asking the person, or rejects if it cannot. */
export const makePasskey = async (options: Options, bySelf = false): Promise<AsJson<RegistrationResponseJSON>> => {
  waiting?.abort(isOver)
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON
  const made = startRegistration({ optionsJSON, useAutoRegister: bySelf }).catch((error: unknown) => {
    // Browsers give this name both to a cancelled request and to a missing passkey. While a passkey is being made, only the first is
    // possible.
    throw error instanceof Error && error.name === 'NotAllowedError' ? new NotMadeError() : error
  })
  return (await made) as AsJson<RegistrationResponseJSON>
}
