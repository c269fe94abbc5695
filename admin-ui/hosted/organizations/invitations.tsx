import { useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { Confirm } from '../account/confirm.tsx'
import { EmptyState } from '../account/empty-state.tsx'
import { OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useOrganization } from './context.ts'
import { InviteForm } from './invite.tsx'
import { Pager, pageSize } from './paging.tsx'
import { rolesOf, useRoleWords } from './roles.tsx'
import { RowMenu } from './row-menu.tsx'
import { Seats } from './seats.tsx'
import { TabHeading } from './tabs.tsx'

type Invitation = Answer<WireApi<typeof invitationContract>['listInvitations']>[number]

const stateOf = ({ status, expiresAt }: Invitation, now: Date) =>
  status === 'pending' && Date.parse(expiresAt) <= now.getTime() ? 'expired' : status

const tones = { pending: 'new', expired: 'warn', accepted: 'good', rejected: 'plain', canceled: 'plain' } as const

interface RowProps {
  readonly invitation: Invitation
  readonly busy: string | undefined
  readonly onResend: () => void
  readonly onCopy: () => void
  readonly onCancel: () => void
}

const InvitationRow = ({ invitation, busy, onResend, onCopy, onCancel }: RowProps) => {
  const { t, ago, ahead } = useI18n()
  const { listOf } = useRoleWords()
  const { can, assignableRoles } = useOrganization()
  const { id, email, role, createdAt, expiresAt } = invitation
  const now = new Date()
  const state = stateOf(invitation, now)
  const isOpen = (state === 'pending' || state === 'expired') && rolesOf(role).every((name) => assignableRoles.includes(name))
  const again = { label: t('checkEmail.resend'), name: t('invitations.resendName', { email }), onSelect: onResend }
  const cancel = { label: t('invitations.cancel'), name: t('invitations.cancelName', { email }), onSelect: onCancel }
  const copy = { label: t('invitations.copy'), name: t('invitations.copyName', { email }), onSelect: onCopy }
  const mayPassOn = state === 'pending' && (can('invitation', 'create') || can('invitation', 'cancel'))
  const actions = [
    ...(mayPassOn ? [copy] : []),
    ...(can('invitation', 'create') ? [again] : []),
    ...(can('invitation', 'cancel') ? [cancel] : []),
  ]
  return (
    <li className="row">
      <span className="row-tile">
        <Icon name="mail" />
      </span>
      <span className="row-text">
        <span className="row-title">
          <span className="break">{email}</span>
          <Badge tone={tones[state]}>{t(`invitation.${state}`)}</Badge>
        </span>
        <span className="row-detail">
          <span>{t('orgs.asRole', { roles: listOf(rolesOf(role)) })}</span>
          <span>
            {state === 'pending'
              ? t('orgs.expires', { when: ahead(expiresAt, now) })
              : t('invitations.created', { when: ago(createdAt, now) })}
          </span>
        </span>
      </span>
      <RowMenu of={email} actions={isOpen ? actions : []} working={busy === `resend ${id}` || busy === `cancel ${id}`} />
    </li>
  )
}

export const InvitationsTab = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization, can, reload: reloadHere } = useOrganization()
  const [offset, setOffset] = useState(0)
  // One more than is shown tells whether there are more.
  const invitations = useLoader(
    () => api.of(invitationContract).listInvitations({ query: { organizationId: organization.id, limit: pageSize + 1, offset } }),
    String(offset),
  )
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const [canceling, setCanceling] = useState<Invitation>()
  const canInvite = can('invitation', 'create')
  const reloadAll = async () => void (await Promise.all([invitations.reload(), reloadHere()]))

  const resend = ({ id, email, role, teamId }: Invitation) =>
    run(
      `resend ${id}`,
      async () => {
        const team = teamId === null ? {} : { teamId: teamId.split(',') }
        const body = { email, role: [...rolesOf(role)], organizationId: organization.id, resend: true, ...team }
        await api.of(invitationContract).inviteMember({ body })
        await reloadAll()
      },
      t('invitations.resent', { email }),
    )
  /** Without the token of the mail, which proves the address: who opens the link has to sign in with it. */
  const copy = async ({ id, email }: Invitation) => {
    const link = `${location.origin}/invitation/${id}`
    try {
      await navigator.clipboard.writeText(link)
      outcome.showSuccess(t('invitations.copied', { email }))
    } catch {
      outcome.showProblem({ text: t('invitations.copyFailed', { link }) })
    }
  }
  const cancel = ({ id, email }: Invitation) => {
    setCanceling(undefined)
    run(
      `cancel ${id}`,
      async () => {
        await api.of(invitationContract).cancelInvitation({ body: { invitationId: id } })
        await reloadAll()
      },
      t('invitations.canceled', { email }),
    )
  }
  return (
    <>
      <TabHeading title={t('org.invitations')} lead={t('invitations.lead')} />
      <Seats />
      {canInvite ? <InviteForm onInvited={reloadAll} /> : null}
      <OutcomeNotice of={outcome} />
      <Panel id="invitations" title={t('invitations.list')}>
        <Loaded of={invitations} rows={2}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState
                icon="mail"
                title={t('invitations.none')}
                text={t(canInvite ? 'invitations.noneText' : 'invitations.noneAsk')}
              />
            ) : (
              <>
                <ul className="rows">
                  {list.slice(0, pageSize).map((invitation) => (
                    <InvitationRow
                      key={invitation.id}
                      invitation={invitation}
                      busy={busy}
                      onResend={() => resend(invitation)}
                      onCopy={() => void copy(invitation)}
                      onCancel={() => setCanceling(invitation)}
                    />
                  ))}
                </ul>
                <Pager
                  offset={offset}
                  shown={Math.min(list.length, pageSize)}
                  hasMore={list.length > pageSize}
                  onGo={setOffset}
                />
              </>
            )
          }
        </Loaded>
      </Panel>
      {canceling === undefined ? null : (
        <Confirm
          title={t('invitations.cancelTitle')}
          text={t('invitations.cancelText', { email: canceling.email })}
          action={t('invitations.cancel')}
          onConfirm={() => cancel(canceling)}
          onCancel={() => setCanceling(undefined)}
        />
      )}
    </>
  )
}
