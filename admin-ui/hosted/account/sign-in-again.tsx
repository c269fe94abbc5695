import { useState } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'

/** Ends the session and asks for the password; then the person is back in this section. */
export const SignInAgain = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const [pending, setPending] = useState(false)
  const leave = async () => {
    setPending(true)
    // A session that is over already is no obstacle.
    await api.sessions.signOut().catch(() => undefined)
    location.assign(`/sign-in?${new URLSearchParams({ callbackURL: location.pathname })}`)
  }
  return (
    <Button kind="quiet" working={pending} onClick={() => void leave()}>
      {t('common.signInAgain')}
    </Button>
  )
}
