import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { askForPasskey, fillsPasskeys, isOver, offerPasskeys } from '../../shared/passkey.ts'
import { goTo, isSameOrigin, pageUrl, returnUrlOf } from '../return-url.ts'

/** Signs in with any passkey of this device and continues. */
export const createPasskeySignIn = (api: HostedApi, query: URLSearchParams, rememberMe: () => boolean) => {
  const calls = api.of(passkeyContract)
  /** The target of the sign-in. The server checks an address on another origin. */
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
    /** Lets the person choose a passkey in the browser's dialog. */
    ask: () => {
      asked = optionsOf().then(askForPasskey).then(signIn)
      return asked
    },
    /**
     * Offers passkeys in the address field while the page is shown, in browsers that support it. The offer starts again when its
     * challenge expires, and after a cancelled or refused passkey. Errors are not shown. A browser that refuses at once is not asked
     * again.
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
