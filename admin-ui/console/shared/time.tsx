import { useI18n } from '../../shared/text.tsx'
import { usePreferences } from '../appearance.ts'

/** The exact time, in the person's zone or in UTC as they chose. */
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
  /** ISO 8601, as the server sends it. */
  readonly at: string
  /** The exact time beside the distance, and not only when the pointer rests on it. */
  readonly exact?: boolean
}

/** A point in time as its distance from now. */
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
