import type { WireApi } from '../../../src/http/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useLoader } from '../../shared/loading.tsx'
import { rolesOf } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { AppTile, Button } from '../../shared/ui.tsx'
import { useAccount } from '../account/context.ts'
import { type Outcome, OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useRoleWords } from './roles.tsx'
import '../more.css'

type PendingInvitation = Answer<WireApi<typeof invitationContract>['listUserInvitations']>[number]

interface PendingInvitationRowProps {
  readonly invitation: PendingInvitation
  readonly busy: string | undefined
  readonly onAccept: () => void
  readonly onDecline: () => void
}

const PendingInvitationRow = ({
  invitation: { id, organizationName, role, expiresAt },
  busy,
  onAccept,
  onDecline,
}: PendingInvitationRowProps) => {
  const { t, ahead } = useI18n()
  const { listOf } = useRoleWords()
  const organization = { organization: organizationName }
  return (
    <li className="row">
      <AppTile name={organizationName} />
      <span className="row-text">
        <span className="row-title">{organizationName}</span>
        <span className="row-detail">
          <span>{t('orgs.asRole', { roles: listOf(rolesOf(role)) })}</span>
          <span>{t('orgs.expires', { when: ahead(expiresAt, new Date()) })}</span>
        </span>
      </span>
      <span className="row-actions">
        <Button
          kind="secondary"
          working={busy === `decline ${id}`}
          name={t('orgs.declineName', organization)}
          onClick={onDecline}
        >
          {t('orgs.decline')}
        </Button>
        <Button working={busy === `accept ${id}`} name={t('orgs.acceptName', organization)} onClick={onAccept}>
          {t('orgs.accept')}
        </Button>
      </span>
    </li>
  )
}

interface PendingInvitationsProps {
  readonly outcome: Outcome
  readonly onAccepted: () => Promise<void>
}

/** The pending invitations to the person's verified address. Renders nothing if there are none. */
export const PendingInvitations = ({ outcome, onAccepted }: PendingInvitationsProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { refresh } = useAccount()
  const { busy, run } = useAction(outcome)
  // The server refuses to list invitations for an unverified email address. The page then shows no invitations.
  const pending = useLoader(() =>
    api
      .of(invitationContract)
      .listUserInvitations()
      .catch(() => []),
  )
  const accept = ({ id, organizationName: organization }: PendingInvitation) =>
    run(
      `accept ${id}`,
      async () => {
        await api.of(invitationContract).acceptInvitation({ body: { invitationId: id } })
        await Promise.all([onAccepted(), pending.reload(), refresh()])
      },
      t('orgs.accepted', { organization }),
    )
  const decline = ({ id, organizationName: organization }: PendingInvitation) =>
    run(
      `decline ${id}`,
      async () => {
        await api.of(invitationContract).rejectInvitation({ body: { invitationId: id } })
        await pending.reload()
      },
      t('orgs.declined', { organization }),
    )
  const invitations = pending.value ?? []
  if (invitations.length === 0) return null
  return (
    <Panel id="waiting" title={t('orgs.pendingInvitations')}>
      <ul className="rows">
        {invitations.map((invitation) => (
          <PendingInvitationRow
            key={invitation.id}
            invitation={invitation}
            busy={busy}
            onAccept={() => accept(invitation)}
            onDecline={() => decline(invitation)}
          />
        ))}
      </ul>
    </Panel>
  )
}

/** The pending invitations on the organizations overview. Their result is shown here, not at the top of the page. */
export const OverviewInvitations = () => {
  const outcome = useOutcome()
  return (
    <>
      <OutcomeNotice of={outcome} />
      <PendingInvitations outcome={outcome} onAccepted={async () => undefined} />
    </>
  )
}
