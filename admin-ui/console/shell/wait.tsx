import { useEffect, useState } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Notice } from '../../shared/ui.tsx'

/** Shows for how long the server will refuse further requests. `onEnd` is called after that time, when refused reads are repeated. */
export const Wait = ({ until, onEnd }: { readonly until: number; readonly onEnd: () => void }) => {
  const { t } = useI18n()
  const [now, setNow] = useState(Date.now)
  const seconds = Math.max(0, Math.ceil((until - now) / 1000))
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    if (seconds === 0) onEnd()
  }, [seconds, onEnd])
  return (
    <div className="wait" role="status">
      <Notice tone="wait">{t('console.wait', { count: seconds })}</Notice>
    </div>
  )
}
