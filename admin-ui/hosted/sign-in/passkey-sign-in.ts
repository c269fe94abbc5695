import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { askForPasskey, fillsPasskeys, isOver, offerPasskeys } from '../../shared/passkey.ts'
import { goTo, isSameOrigin, pageUrl, returnUrlOf } from '../return-url.ts'

/** Signs in with any passkey of this device and continues. */
export const createPasskeySignIn = (api: HostedApi, query: URLSearchParams, rememberMe: () => boolean) => {
  const calls = api.of(passkeyContract)
  /** The target of the sign-in. An address on another origin has to be trusted by the server. */
  const destination = async () => {
    const address = returnUrlOf(query)
    if (isSameOrigin(address)) return address
    const { loadSecondStep } = await import('../two-factor/pending.ts')
    const step = await loadSecondStep(api, query)
    return step === 'over' ? '/account' : step.destination
  }
  const optionsOf = () => calls.generateAuthenticateOptions({ query: { anyone: 'true' } })
  const signIn = async (response: Awaited<ReturnType<typeof askForPasskey>>) => {
    const answer = await calls.verifyAuthentication({ body: { response, rememberMe: rememberMe() } })
    if ('twoFactorRedirect' in answer) location.assign(pageUrl('/two-factor', query))
    else goTo(await destination())
    // The browser is leaving this page, so the promise never settles.
    await new Promise(() => undefined)
  }
  let asked: Promise<void> | undefined
  return {
    /** Asks for a passkey. */
    ask: () => {
      asked = optionsOf().then(askForPasskey).then(signIn)
      return asked
    },
    /**
     * Offers passkeys in the address field of supporting browsers while the page is shown. Starts again after the challenge expires, and
     * after a cancelled or refused passkey, in the field or by the button. Errors are not shown. A browser that refuses at once is not
     * asked again.
     */
    offer: async (shown: AbortSignal, fail: (error: unknown) => Promise<void>): Promise<void> => {
      if (!(await fillsPasskeys())) return
      for (let wasAtOnce = false; !wasAtOnce && !shown.aborted; ) {
        let since = Date.now()
        const end: unknown = await optionsOf()
          .then((options) => {
            since = Date.now()
            return offerPasskeys(options)
          })
          .then((response) => signIn(response).catch(fail))
          .catch((error: unknown) => error)
        if (end === isOver) return
        wasAtOnce = asked === undefined && Date.now() - since < 1_000
        await asked?.catch(() => undefined)
        asked = undefined
        if (document.hidden) await new Promise((wake) => document.addEventListener('visibilitychange', wake, { once: true }))
      }
    },
  }
}
