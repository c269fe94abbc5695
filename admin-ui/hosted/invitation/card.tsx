import type { ReactNode } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { AppTile } from '../../shared/ui.tsx'
import { useRoleWords } from '../organizations/roles.tsx'
import { Card, Heading } from '../shell.tsx'
import type { InvitationView } from './link.ts'

interface InvitationCardProps {
  readonly view: InvitationView
  /** A line to show in place of the one that names the inviter. */
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/** Shows the inviter, organization, roles and expiry of an invitation. The buttons are below. */
export const InvitationCard = ({ view, lead, children }: InvitationCardProps) => {
  const { t, ahead } = useI18n()
  const { listOf } = useRoleWords()
  const { organizationName: organization, organizationLogo: logo, inviterName, email, roles, expiresAt } = view
  const who =
    inviterName === null ? (
      t('invitation.lead')
    ) : (
      <Text id="invitation.leadBy" values={{ name: <strong className="break">{inviterName}</strong> }} />
    )
  return (
    <Card>
      <div className="invitation-tile">
        <AppTile name={organization} logo={logo} size="large" />
      </div>
      <Heading title={<span className="break">{t('invitation.join', { organization })}</span>}>{lead ?? who}</Heading>
      <div className="client">
        <span className="row-tile">
          <Icon name="mail" />
        </span>
        <span className="client-text">
          <span className="invitation-email">{email}</span>
          <span className="client-label">
            {t('orgs.asRole', { roles: listOf(roles) })} · {t('orgs.expires', { when: ahead(expiresAt, new Date()) })}
          </span>
        </span>
      </div>
      {children}
    </Card>
  )
}
