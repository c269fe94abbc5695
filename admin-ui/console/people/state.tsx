import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import type { AdministeredUser } from './users.tsx'

/** Badges that say whether a user can sign in, and what prevents it. */
export const StateBadges = ({ user }: { readonly user: Pick<AdministeredUser, 'banned' | 'emailVerified'> }) => {
  const { t } = useI18n()
  if (user.banned)
    return (
      <Badge tone="bad" icon="ban">
        {t('people.banned')}
      </Badge>
    )
  return user.emailVerified ? (
    <Badge tone="good">{t('people.active')}</Badge>
  ) : (
    <Badge tone="warn">{t('people.unverified')}</Badge>
  )
}

/** A badge for the second factor of a user. It has a colour if somebody has to act. */
export const FactorBadge = ({ user }: { readonly user: Pick<AdministeredUser, 'secondFactor'> }) => {
  const { t } = useI18n()
  const tones = { none: 'plain', on: 'good', required: 'warn', overdue: 'bad' } as const
  return <Badge tone={tones[user.secondFactor]}>{t(`people.factor.${user.secondFactor}`)}</Badge>
}
