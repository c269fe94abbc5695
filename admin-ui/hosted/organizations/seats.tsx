import { useI18n } from '../../shared/text.tsx'
import { useOrganization } from './context.ts'

/** The organization's seats and how many are taken. Shown if there is a limit and the person may invite. */
export const Seats = () => {
  const { t } = useI18n()
  const { seats: use } = useOrganization()
  if (use === null) return null
  const { seats, isFree, members, invitations } = use
  return (
    <p className="quiet">
      {t('seats.taken', { count: members + invitations, seats })} {t('seats.members', { count: members })},{' '}
      {t('seats.invitations', { count: invitations })}
      {isFree ? `. ${t('seats.free')}` : '.'}
    </p>
  )
}
