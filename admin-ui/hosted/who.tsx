import type { Interaction } from '../shared/api.ts'
import { useI18n } from '../shared/text.tsx'
import { Avatar, Button } from '../shared/ui.tsx'

interface WhoProps {
  readonly user: NonNullable<Interaction['user']>
  readonly onSwitch: () => void
}

/** As whom a person answers an application, and the way out for somebody else. */
export const Who = ({ user, onSwitch }: WhoProps) => {
  const { t } = useI18n()
  return (
    <div className="who">
      <Avatar name={user.name} />
      <span className="who-words">
        <span className="unseen">{t('consent.signedInAs')} </span>
        <span className="who-name">{user.name}</span>
        <span className="who-email">{user.email}</span>
      </span>
      <Button kind="quiet" onClick={onSwitch}>
        {t('consent.notYou')}
      </Button>
    </div>
  )
}
