import { useState } from 'react'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Badge } from '../../../shared/ui.tsx'
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
import { CopyLink, statusTones } from './invitation-parts.tsx'
import { InviteDialog, ResendDialog } from './invite-dialogs.tsx'

const statuses = ['pending', 'expired', 'accepted', 'rejected', 'canceled'] as const
type Status = (typeof statuses)[number]

interface RowProps {
  readonly invitation: Invitation
  readonly onResend: () => void
}

const InvitationRow = ({ invitation, onResend }: RowProps) => {
  const { t } = useI18n()
  const undo = useUndo()
  const cancel = useChange(organizationAdministrationContract, 'adminCancelInvitation')
  const { id, organizationId, email, role, createdAt, expiresAt, status: state } = invitation
  const named = <span className="visually-hidden"> {email}</span>
  return (
    <>
      <span className="entry-text">
        <span className="entry-title break">
          {email} <Badge tone={statusTones[state]}>{t(`organizations.invitation.${state}`)}</Badge>
          <RoleBadges role={role} />
        </span>
        <span className="who-detail">
          <Time at={createdAt} />
          {state === 'pending' ? (
            <>
              {' · '}
              {t('organizations.ends')} <Time at={expiresAt} />
            </>
          ) : null}
        </span>
      </span>
      {state === 'pending' || state === 'expired' ? (
        <span className="panel-actions">
          {state === 'pending' ? <CopyLink invitation={invitation} /> : null}
          <ActionButton permission="all-organizations:update" onClick={onResend}>
            {t('organizations.resend')}
            {named}
          </ActionButton>
          <ActionButton
            permission="all-organizations:update"
            onClick={() =>
              undo(t('organizations.canceling', { email }), () => cancel({ params: { id: organizationId, invitationId: id } }))
            }
          >
            {t('organizations.cancelInvitation')}
            {named}
          </ActionButton>
        </span>
      ) : null}
    </>
  )
}

/** Who was invited and what became of it, newest first. */
export const InvitationsPanel = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { isAllowed } = usePermission('all-organizations:update')
  const [status, setStatus] = useState<Status>()
  const [open, setOpen] = useState<'new' | Invitation>()
  const close = () => setOpen(undefined)
  const { id } = organization
  return (
    <>
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
        row={(invitation) => <InvitationRow invitation={invitation} onResend={() => setOpen(invitation)} />}
        empty={t(status === undefined ? 'organizations.invitationsNone' : 'console.table.noneText')}
        actions={
          <>
            <PanelFilter
              label={t('organizations.state')}
              value={status}
              options={statuses.map((one) => [one, t(`organizations.invitation.${one}`)])}
              onValue={setStatus}
            />
            <ActionButton permission="all-organizations:update" icon="mail" onClick={() => setOpen('new')}>
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
      {open === 'new' ? <InviteDialog organization={organization} onClose={close} /> : null}
      {typeof open === 'object' ? <ResendDialog organization={organization} invitation={open} onClose={close} /> : null}
    </>
  )
}
