import type { WireApi } from '../../../src/http/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { InvitationsPanel, invitationLink, rolesOf } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Confirm } from '../account/confirm.tsx'
import { EmptyState } from '../account/empty-state.tsx'
import { OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useOrganization } from './context.ts'
import { InviteForm } from './invite.tsx'
import { PagedRows, usePage } from './paging.tsx'
import { useRoleWords } from './roles.tsx'
import { Tile } from './rows.tsx'
import { Seats } from './seats.tsx'
import { TabHeading } from './tabs.tsx'

type Invitation = Answer<WireApi<typeof invitationContract>['listInvitations']>[number]

const words = { copy: 'invitations.copy', resend: 'checkEmail.resend', cancel: 'invitations.cancel' } as const

export const InvitationsTab = () => {
  const { api } = useHosted()
  const { t, ago, ahead } = useI18n()
  const { listOf } = useRoleWords()
  const { organization, can, assignableRoles, reload: reloadHere } = useOrganization()
  const organizationId = organization.id
  const page = usePage(async (at) => ({
    rows: await api.of(invitationContract).listInvitations({ query: { organizationId, ...at } }),
  }))
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const canInvite = can('invitation', 'create')
  const reloadAll = async () => void (await Promise.all([page.reload(), reloadHere()]))

  const resend = ({ id, email, role, teamId }: Invitation) =>
    run(
      id,
      async () => {
        const team = teamId === null ? {} : { teamId: teamId.split(',') }
        const body = { email, role: [...rolesOf(role)], organizationId, resend: true, ...team }
        await api.of(invitationContract).inviteMember({ body })
        await reloadAll()
      },
      t('invitations.resent', { email }),
    )
  const copy = async (invitation: Invitation) => {
    const link = invitationLink(invitation)
    try {
      await navigator.clipboard.writeText(link)
      outcome.showSuccess(t('invitations.copied', { email: invitation.email }))
    } catch {
      outcome.showProblem({ text: t('invitations.copyFailed', { link }) })
    }
  }
  const cancel = ({ id, email }: Invitation) =>
    run(
      id,
      async () => {
        await api.of(invitationContract).cancelInvitation({ body: { invitationId: id } })
        await reloadAll()
      },
      t('invitations.canceled', { email }),
    )
  return (
    <>
      <TabHeading title={t('org.invitations')} lead={t('invitations.lead')} />
      <Seats />
      {canInvite ? <InviteForm onInvited={reloadAll} /> : null}
      <OutcomeNotice of={outcome} />
      <Panel id="invitations" title={t('invitations.list')}>
        <InvitationsPanel<Invitation, Invitation>
          list={(row) => (
            <PagedRows
              of={page}
              room={2}
              row={row}
              empty={
                <EmptyState
                  icon="mail"
                  title={t('invitations.none')}
                  text={t(canInvite ? 'invitations.noneText' : 'invitations.noneAsk')}
                />
              }
            />
          )}
          partsOf={({ role, createdAt, expiresAt }, state) => ({
            state: t(`invitation.${state}`),
            mark: <Tile icon="mail" />,
            title: null,
            details: (
              <>
                <span>{t('orgs.asRole', { roles: listOf(rolesOf(role)) })}</span>
                <span>
                  {state === 'pending'
                    ? t('orgs.expires', { when: ahead(expiresAt, new Date()) })
                    : t('invitations.created', { when: ago(createdAt, new Date()) })}
                </span>
              </>
            ),
          })}
          textOf={(action, { email }) => ({ label: t(words[action]), name: t(`invitations.${action}Name`, { email }) })}
          can={(action, { role }) =>
            rolesOf(role).every((name) => assignableRoles.includes(name)) &&
            ((action !== 'cancel' && canInvite) || (action !== 'resend' && can('invitation', 'cancel')))
          }
          on={(action, invitation, open) => {
            if (action === 'copy') void copy(invitation)
            else if (action === 'resend') resend(invitation)
            else open(invitation)
          }}
          busy={busy}
          dialogOf={(invitation, onClose) => (
            <Confirm
              title={t('invitations.cancelTitle')}
              text={t('invitations.cancelText', { email: invitation.email })}
              action={t('invitations.cancel')}
              onConfirm={() => {
                onClose()
                cancel(invitation)
              }}
              onCancel={onClose}
            />
          )}
        />
      </Panel>
    </>
  )
}
