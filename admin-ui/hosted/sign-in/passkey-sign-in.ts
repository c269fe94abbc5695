import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { askForPasskey, fillsPasskeys, isOver, offerPasskeys } from '../../shared/passkey.ts'
import { goTo, isSameOrigin, pageUrl, returnUrlOf } from '../return-url.ts'

/** Signs in with any passkey that the person chooses, and goes to the return URL. */
export const createPasskeySignIn = (api: HostedApi, query: URLSearchParams, rememberMe: () => boolean) => {
  const calls = api.of(passkeyContract)
  /** The URL to go to after the sign-in. If it is on another origin, the server checks it first. */
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
    // The browser is leaving this page, so this promise never settles.
    await new Promise(() => undefined)
  }
  let asked: Promise<void> | undefined
  return {
    /** Opens the browser's dialog in which the person chooses a passkey. */
    ask: () => {
      asked = optionsOf().then(askForPasskey).then(signIn)
      return asked
    },
    /**
     * Offers passkeys in the address field until `shown` is aborted, if the browser supports it. The offer starts again when its
     * challenge expires, and after a cancelled or refused passkey. Failures to offer passkeys are not shown. If the browser refuses at
     * once, it is not asked again.
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
