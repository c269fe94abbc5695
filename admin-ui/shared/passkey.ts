import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'

/** Options as the server sends them; their content is the browser's business. */
interface Options {
  readonly challenge: string
  /** How long the challenge is good for, in milliseconds. */
  readonly timeout: number
}

/** An answer of the browser, all of it JSON. */
type AsJson<R> = Omit<R, 'clientExtensionResults'> & { readonly clientExtensionResults: Record<string, never> }

/** True where the browser knows passkeys. It knows none at an address that is not secure. */
export const knowsPasskeys = (): boolean => typeof window.PublicKeyCredential === 'function'

/** True where the browser offers passkeys among what it fills into a field. */
export const fillsPasskeys = async (): Promise<boolean> =>
  knowsPasskeys() &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  ((await PublicKeyCredential.isConditionalMediationAvailable?.().catch(() => false)) ?? false)

/** The question that waits in a field: browsers have one at a time. */
let waiting: AbortController | undefined

/** Why a question does not come back: the person is in, and the browser makes a passkey. */
export const isOver = 'over'

/**
 * Waits until a passkey is chosen among the proposals of the field with `autocomplete="… webauthn"`, and rejects shortly before the challenge
 * ends. By the browser's own means, so that the sign-in page does without the library.
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

/** Asks for a passkey. */
export const askForPasskey = async (options: Options): Promise<AsJson<AuthenticationResponseJSON>> => {
  waiting?.abort()
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON
  return (await startAuthentication({ optionsJSON })) as AsJson<AuthenticationResponseJSON>
}

class NotMadeError extends Error {
  override name = 'NotMadeError'
}

/** Has a passkey made; `bySelf`: by the browser, which asks nobody, and refuses where it cannot. */
export const makePasskey = async (options: Options, bySelf = false): Promise<AsJson<RegistrationResponseJSON>> => {
  waiting?.abort(isOver)
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON
  const made = startRegistration({ optionsJSON, useAutoRegister: bySelf }).catch((error: unknown) => {
    // The browser has one name for what was cancelled and for what it does not find; here there is nothing to find.
    throw error instanceof Error && error.name === 'NotAllowedError' ? new NotMadeError() : error
  })
  return (await made) as AsJson<RegistrationResponseJSON>
}
