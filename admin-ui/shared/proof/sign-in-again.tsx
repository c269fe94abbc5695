import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { HostedApi } from '../api.ts'
import { useI18n } from '../text.tsx'
import { Button } from '../ui.tsx'

interface SignInAgainProps {
  /** A client whose refused calls open no further dialog. */
  readonly api: HostedApi
  /** Address of the account to which the page belongs. */
  readonly email: string
  readonly onEnd: (isSignedIn: boolean) => void
}

const checkMs = 1_500
/** The sign-in in the other window leads to the account area, which every person has. This page closes the window then. */
const address = `/sign-in?${new URLSearchParams({ callbackURL: '/account' })}`

/**
 * Lets the person sign in again in another window, by any method, while this page stays. A waiting call is repeated only if the same
 * person has signed in.
 */
export const SignInAgain = ({ api, email, onEnd }: SignInAgainProps) => {
  const { t } = useI18n()
  const opened = useRef<Window>(null)
  const [isWaiting, setIsWaiting] = useState(false)
  const [other, setOther] = useState<string>()
  const check = useEffectEvent(async () => {
    const found = await api.sessions.getSession({ query: { disableRefresh: 'true' } }).catch(() => null)
    if (found === null) return setOther(undefined)
    if (found.user.email !== email) return setOther(found.user.email)
    opened.current?.close()
    onEnd(true)
  })
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => void check(), checkMs)
    return () => clearInterval(timer)
  }, [isWaiting])
  const open = () => {
    opened.current = window.open(address, 'gatehouse-sign-in', 'popup,width=480,height=720')
    // If the browser opens no window, this page itself goes to the sign-in.
    if (opened.current === null) location.assign(`/sign-in?${new URLSearchParams({ callbackURL: location.pathname })}`)
    else setIsWaiting(true)
  }
  return (
    <>
      <p className="quiet" role="status">
        {other === undefined
          ? t(isWaiting ? 'proof.signingIn' : 'proof.signedOutText')
          : t('proof.otherAccount', { email, other })}
      </p>
      <div className="dialog-actions">
        <Button kind="secondary" onClick={() => onEnd(false)}>
          {t('common.cancel')}
        </Button>
        <Button onClick={open}>{t('common.signInAgain')}</Button>
      </div>
    </>
  )
}
