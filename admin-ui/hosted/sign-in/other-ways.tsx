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

/** True where there are ways to sign in besides the password and providers. */
export const hasOtherWays = ({ passkeysEnabled, mailSignInEnabled }: Settings): boolean =>
  mailSignInEnabled || (passkeysEnabled && knowsPasskeys())

/** Signs in with a passkey, whoever's it is, and goes on: by the button, or chosen in the field for the address. */
const usePasskeySignIn = (rememberMe: () => boolean) => {
  const { api, query } = useHosted()
  /** A foreign address is only gone to when the server trusts it. */
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
    // The page goes on.
    await new Promise(() => undefined)
  }
  const button = useRef<Promise<void>>(undefined)
  const passkey = usePasskey(async () => {
    button.current = optionsOf().then(askForPasskey).then(signIn)
    await button.current
    return 'leaving'
  })
  /**
   * Waits in the field, where browsers can, for as long as the page is shown: again when its challenge ends, and after a passkey that was cancelled
   * or refused, here or by the button. Nobody is told when that does not work. A browser that refuses at once is not asked again.
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
  /** True where nothing stands above. */
  readonly isFirst?: boolean
  readonly settings: Settings
  /** Whether the session outlives the browser. */
  readonly rememberMe: () => boolean
}

/** Ways to sign in besides the password, below the form. */
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
