import { useEffect, useRef } from 'react'
import type { Settings } from '../../shared/api.ts'
import { FormEnd } from '../../shared/form.tsx'
import { knowsPasskeys } from '../../shared/passkey.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { pageUrl } from '../return-url.ts'
import { usePasskey } from '../second-factor/use-passkey.ts'
import { createPasskeySignIn } from './passkey-sign-in.ts'

/** True if there are sign-in methods other than the password and providers. */
export const hasOtherWays = ({ passkeysEnabled, mailSignInEnabled }: Settings): boolean =>
  mailSignInEnabled || (passkeysEnabled && knowsPasskeys())

/** Signs the person in with a passkey, which they choose by a button or in the address field. */
const usePasskeySignIn = (rememberMe: () => boolean) => {
  const { api, query } = useHosted()
  const signIn = useRef<ReturnType<typeof createPasskeySignIn>>(undefined)
  const methods = () => {
    signIn.current ??= createPasskeySignIn(api, query, rememberMe)
    return signIn.current
  }
  const passkey = usePasskey(async () => {
    await methods().ask()
    return 'leaving'
  })
  return { ...passkey, offer: (shown: AbortSignal) => methods().offer(shown, passkey.fail) }
}

const PasskeyButton = ({ rememberMe }: { readonly rememberMe: () => boolean }) => {
  const { t } = useI18n()
  const { isPreview, typed } = useHosted()
  const passkey = usePasskeySignIn(rememberMe)
  // biome-ignore lint/correctness/useExhaustiveDependencies: passkeys are offered while this element is shown.
  useEffect(() => {
    const shown = new AbortController()
    const refused = typed?.takeFailure()
    if (refused !== undefined) void passkey.fail(refused.error)
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
  /** True if these sign-in methods are the first thing on the page. */
  readonly isFirst?: boolean
  readonly settings: Settings
  /** Returns whether the session should continue after the browser is closed. */
  readonly rememberMe: () => boolean
}

/** Buttons for the sign-in methods other than password and identity providers, below the form. */
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
