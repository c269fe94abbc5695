import { useEffect, useRef } from 'react'
import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import type { Settings } from '../../shared/api.ts'
import { FormEnd } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { goTo, isSameOrigin, pageUrl, returnUrlOf } from '../return-url.ts'
import { askForPasskey, fillsPasskeys, isOver, knowsPasskeys, offerPasskeys } from '../second-factor/passkey.ts'
import { usePasskey } from '../second-factor/use-passkey.ts'

/** True when there are sign-in methods besides the password and providers. */
export const hasOtherWays = ({ passkeysEnabled, mailSignInEnabled }: Settings): boolean =>
  mailSignInEnabled || (passkeysEnabled && knowsPasskeys())

/** Signs in with any passkey of this device and goes on. The person presses the button, or chooses the passkey in the address field. */
const usePasskeySignIn = (rememberMe: () => boolean) => {
  const { api, query } = useHosted()
  /** The address to go to after the sign-in. An address on another origin counts only when the server trusts it. */
  const destination = async () => {
    const address = returnUrlOf(query)
    if (isSameOrigin(address)) return address
    const { loadSecondStep } = await import('../two-factor/pending.ts')
    const step = await loadSecondStep(api, query)
    return step === 'over' ? '/account' : step.destination
  }
  const optionsOf = () => api.of(passkeyContract).generateAuthenticateOptions({ query: { anyone: 'true' } })
  const signIn = async (response: Awaited<ReturnType<typeof askForPasskey>>) => {
    const answer = await api.of(passkeyContract).verifyAuthentication({ body: { response, rememberMe: rememberMe() } })
    if ('twoFactorRedirect' in answer) location.assign(pageUrl('/two-factor', query))
    else goTo(await destination())
    // The browser is leaving this page, so the promise never settles.
    await new Promise(() => undefined)
  }
  const button = useRef<Promise<void>>(undefined)
  const passkey = usePasskey(async () => {
    button.current = optionsOf().then(askForPasskey).then(signIn)
    await button.current
    return 'leaving'
  })
  /**
   * Offers passkeys in the address field, in browsers that can, for as long as the page is shown. Starts again when the challenge expires, and after a
   * passkey was cancelled or refused, in the field or by the button. Errors are not shown. A browser that refuses at once is not asked again.
   */
  const offer = async (shown: AbortSignal) => {
    if (!(await fillsPasskeys())) return
    for (let wasAtOnce = false; !wasAtOnce && !shown.aborted; ) {
      let since = Date.now()
      const end: unknown = await optionsOf()
        .then((options) => {
          since = Date.now()
          return offerPasskeys(options)
        })
        .then((response) => signIn(response).catch(passkey.fail))
        .catch((error: unknown) => error)
      if (end === isOver) return
      wasAtOnce = button.current === undefined && Date.now() - since < 1_000
      await button.current?.catch(() => undefined)
      button.current = undefined
      if (document.hidden) await new Promise((wake) => document.addEventListener('visibilitychange', wake, { once: true }))
    }
  }
  return { ...passkey, offer }
}

const PasskeyButton = ({ rememberMe }: { readonly rememberMe: () => boolean }) => {
  const { t } = useI18n()
  const { isPreview } = useHosted()
  const passkey = usePasskeySignIn(rememberMe)
  // biome-ignore lint/correctness/useExhaustiveDependencies: offered for as long as it is shown.
  useEffect(() => {
    const shown = new AbortController()
    if (!isPreview) void passkey.offer(shown.signal)
    return () => shown.abort()
  }, [])
  return (
    <div className="other-way">
      <Button kind="secondary" icon="key" working={passkey.pending} onClick={() => passkey.start()}>
        {t('signIn.passkey')}
      </Button>
      <FormEnd problem={passkey.problem} pending={false} />
    </div>
  )
}

interface OtherWaysProps {
  /** True when nothing stands above these methods. */
  readonly isFirst?: boolean
  readonly settings: Settings
  /** Returns whether the session stays when the browser closes. */
  readonly rememberMe: () => boolean
}

/** The sign-in methods besides the password, below the form. */
export const OtherWays = ({ settings, rememberMe, isFirst = false }: OtherWaysProps) => {
  const { query } = useHosted()
  const { t } = useI18n()
  if (!hasOtherWays(settings)) return null
  return (
    <div className="other-ways">
      {isFirst ? null : (
        <p className="divider">
          <span>{t('social.or')}</span>
        </p>
      )}
      {settings.passkeysEnabled && knowsPasskeys() ? <PasskeyButton rememberMe={rememberMe} /> : null}
      {settings.mailSignInEnabled ? (
        <LinkButton kind="secondary" href={pageUrl('/mail-sign-in', query)}>
          {t('signIn.byMail')}
        </LinkButton>
      ) : null}
    </div>
  )
}
