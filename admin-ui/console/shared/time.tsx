import { useI18n } from '../../shared/text.tsx'
import { usePreferences } from '../appearance.ts'

/** Returns a function that formats an exact time in the zone that the person has chosen, their own or UTC. */
export const useExactTime = () => {
  const { locale } = useI18n()
  const { isUtc } = usePreferences()
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    ...(isUtc ? { timeZone: 'UTC' } : {}),
  })
  return (at: string) => (isUtc ? `${format.format(new Date(at))} UTC` : format.format(new Date(at)))
}

interface TimeProps {
  /** Time from the server in ISO 8601. */
  readonly at: string
  /** True to show the exact time. Otherwise it appears only under the pointer. */
  readonly exact?: boolean
}

/** A time, shown as its distance from now, such as "5 minutes ago". */
export const Time = ({ at, exact = false }: TimeProps) => {
  const { ago, ahead } = useI18n()
  const exactly = useExactTime()(at)
  const now = new Date()
  const distance = new Date(at) > now ? ahead(at, now) : ago(at, now)
  return (
    <time dateTime={at} title={exactly}>
      {exact ? `${exactly} (${distance})` : distance}
    </time>
  )
}
