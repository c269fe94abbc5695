import { useEffect, useState } from 'react'
import { impersonationContract } from '../../../src/authentication/impersonation/contract.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'

/** Formats the minutes and seconds until a time. Returns an empty text after that time. */
const useTimeLeft = (until: string): string => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.floor((new Date(until).getTime() - now) / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const Bar = () => {
  const { t } = useI18n()
  const { api, access } = useConsole()
  const [isStopping, setIsStopping] = useState(false)
  const left = useTimeLeft(access.sessionExpiresAt)
  const stop = async () => {
    setIsStopping(true)
    await api.call(impersonationContract, 'stopImpersonating').catch(() => undefined)
    location.assign(`/admin/users/${access.user.id}`)
  }
  return (
    <div className="acting" role="status">
      <Icon name="eye" size={18} />
      <span className="acting-text">{t('console.impersonation.text', { name: access.user.name })}</span>
      <span className="acting-left" aria-hidden="true">
        {t('console.impersonation.left', { time: left })}
      </span>
      <Button kind="secondary" working={isStopping} onClick={() => void stop()}>
        {t('console.impersonation.stop')}
      </Button>
    </div>
  )
}

/** A bar during an impersonation. It names the impersonated user and the remaining time, and has a button that ends the impersonation. */
export const Impersonation = () => (useConsole().access.impersonatedBy === null ? null : <Bar />)
