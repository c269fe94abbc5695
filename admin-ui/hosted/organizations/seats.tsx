import { useI18n } from '../../shared/text.tsx'
import { useOrganization } from './context.ts'

/** Shows how many seats the organization has, and how many are taken. Renders nothing if seats are unlimited or the person may not invite. */
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
