import type { Interaction } from '../shared/api.ts'
import { useI18n } from '../shared/text.tsx'
import { Avatar, Button } from '../shared/ui.tsx'

interface IdentityBadgeProps {
  readonly user: NonNullable<Interaction['user']>
  readonly onSwitch: () => void
}

/** The account that the application will learn about, with a button to use another account. */
export const IdentityBadge = ({ user, onSwitch }: IdentityBadgeProps) => {
  const { t } = useI18n()
  return (
    <div className="identity">
      <Avatar name={user.name} />
      <span className="identity-text">
        <span className="visually-hidden">{t('consent.signedInAs')} </span>
        <span className="identity-name">{user.name}</span>
        <span className="identity-email">{user.email}</span>
      </span>
      <Button kind="quiet" onClick={onSwitch}>
        {t('consent.notYou')}
      </Button>
    </div>
  )
}
