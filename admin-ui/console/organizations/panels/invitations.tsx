import { useState } from 'react'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import type { InvitationState } from '../../../shared/organizations/panels.tsx'
import { InvitationsPanel as SharedInvitationsPanel } from '../../../shared/organizations/panels.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole, usePermission } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { PagedPanel } from '../../shared/paged-panel.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { Time } from '../../shared/time.tsx'
import { useChange } from '../../shared/use-change.ts'
import { useUndo } from '../../shared/use-undo.tsx'
import type { Invitation, Organization } from '../parts.tsx'
import { RoleBadges } from '../parts.tsx'
import { PanelFilter } from './filter.tsx'
import { InviteDialog, ResendDialog } from './invite-dialogs.tsx'

const statuses = ['pending', 'expired', 'accepted', 'rejected', 'canceled'] as const

const words = {
  copy: 'organizations.copyLink',
  resend: 'organizations.resend',
  cancel: 'organizations.cancelInvitation',
} as const

/** The organization's invitations with their states, newest first. */
export const InvitationsPanel = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { isAllowed } = usePermission('all-organizations:update')
  const [status, setStatus] = useState<InvitationState>()
  const undo = useUndo()
  const cancel = useChange(organizationAdministrationContract, 'adminCancelInvitation')
  const { id } = organization
  return (
    <SharedInvitationsPanel<Invitation, 'new' | Invitation>
      list={(row, open) => (
        <PagedPanel
          title={t('organizations.invitations')}
          permission="all-organizations:read"
          queryKey={[organizationAdministrationContract.adminListInvitations.path, id, status ?? '']}
          load={async (place) => {
            const { invitations, next, total } = await api.call(organizationAdministrationContract, 'adminListInvitations', {
              params: { id },
              query: { status, limit: 10, ...place },
            })
            return { rows: invitations, next, total }
          }}
          idOf={(invitation) => invitation.id}
          row={row}
          empty={t(status === undefined ? 'organizations.invitationsNone' : 'console.table.noneText')}
          actions={
            <>
              <PanelFilter
                label={t('organizations.state')}
                value={status}
                options={statuses.map((one) => [one, t(`organizations.invitation.${one}`)])}
                onValue={setStatus}
              />
              <ActionButton permission="all-organizations:update" icon="mail" onClick={() => open('new')}>
                {t('organizations.invite')}
              </ActionButton>
            </>
          }
          foot={
            <>
              <ShowCall
                target={organizationAdministrationContract.adminListInvitations}
                input={{ params: { id }, query: { status } }}
                isQuery
              />
              {isAllowed ? null : <span className="who-detail">{t('organizations.idsHidden')}</span>}
            </>
          }
        />
      )}
      partsOf={({ role, createdAt, expiresAt }, state) => ({
        state: t(`organizations.invitation.${state}`),
        title: <RoleBadges role={role} />,
        details: (
          <>
            <Time at={createdAt} />
            {state === 'pending' ? (
              <>
                {' · '}
                {t('organizations.ends')} <Time at={expiresAt} />
              </>
            ) : null}
          </>
        ),
      })}
      textOf={(action, { email }) => ({ label: t(words[action]), name: `${t(words[action])} ${email}` })}
      can={() => true}
      on={(action, invitation, open) => {
        const { organizationId, email } = invitation
        const params = { id: organizationId, invitationId: invitation.id }
        if (action === 'resend') open(invitation)
        else undo(t('organizations.canceling', { email }), () => cancel({ params }))
      }}
      dialogOf={(open, onClose) =>
        open === 'new' ? (
          <InviteDialog organization={organization} onClose={onClose} />
        ) : (
          <ResendDialog organization={organization} invitation={open} onClose={onClose} />
        )
      }
    />
  )
}
