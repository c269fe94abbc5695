import { useState } from 'react'
import { Link } from 'react-router'
import type { WireApi } from '../../../src/http/contract.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { invitationAdministrationContract } from '../../../src/organizations/invitations/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { invitationLink, invitationTones } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, LinkButton } from '../../shared/ui.tsx'
import { usePermission } from '../api.ts'
import { CopyLink } from '../organizations/panels/copy-link.tsx'
import { ResendDialog } from '../organizations/panels/invite-dialogs.tsx'
import { RoleBadges } from '../organizations/parts.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterName } from '../shared/filter-name.tsx'
import { FilterSelect, SearchBox } from '../shared/filters.tsx'
import { Id } from '../shared/id.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useList } from '../shared/use-list.ts'
import { useUndo } from '../shared/use-undo.tsx'

type Listed = Answer<WireApi<typeof invitationAdministrationContract>['adminListAllInvitations']>['invitations'][number]

const statuses = ['pending', 'expired', 'accepted', 'rejected', 'canceled'] as const
const filters = ['email', 'status', 'organizationId', 'inviterId', 'id'] as const
/** Flags of the command whose names differ from the names of the filters. The command has no flag for the filter `id`. */
const flags: Readonly<Record<string, string>> = { organizationId: 'org', inviterId: 'invited-by' }

const Status = ({ status }: Pick<Listed, 'status'>) => {
  const { t } = useI18n()
  return <Badge tone={invitationTones[status]}>{t(`organizations.invitation.${status}`)}</Badge>
}

const Inviter = ({ invitation: { inviter, byOperator } }: { readonly invitation: Listed }) => {
  const { t } = useI18n()
  if (inviter !== null) return <Link to={`/admin/users/${inviter.id}`}>{inviter.name}</Link>
  return <span>{t(byOperator ? 'people.invitedByOperator' : 'people.inviterDeleted')}</span>
}

const useColumns = (): readonly Column<Listed>[] => {
  const { t } = useI18n()
  return [
    {
      id: 'email',
      label: t('people.email'),
      cell: ({ email, role }) => (
        <span className="who-text">
          <span className="break">{email}</span>
          <span className="who-detail break">{role}</span>
        </span>
      ),
    },
    {
      id: 'organization',
      label: t('people.organization'),
      cell: ({ organizationId, organizationName }) => (
        <Link to={`/admin/organizations/${organizationId}`} className="break">
          {organizationName}
        </Link>
      ),
    },
    { id: 'status', label: t('people.state'), cell: ({ status }) => <Status status={status} /> },
    { id: 'inviter', label: t('people.invitedBy'), isMinor: true, cell: (invitation) => <Inviter invitation={invitation} /> },
    {
      id: 'createdAt',
      label: t('people.invitedAt'),
      sort: 'createdAt',
      isMinor: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

interface InvitationPeekProps {
  readonly invitation: Listed
  readonly onResend: () => void
}

const InvitationPeek = ({ invitation, onResend }: InvitationPeekProps) => {
  const { t } = useI18n()
  const { isAllowed } = usePermission('all-organizations:update')
  const undo = useUndo()
  const cancel = useChange(organizationAdministrationContract, 'adminCancelInvitation')
  const { id, email, role, status, organizationId, organizationName, createdAt, expiresAt } = invitation
  const input = { params: { id: organizationId, invitationId: id } }
  const isOpen = status === 'pending' || status === 'expired'
  return (
    <>
      <Facts
        rows={[
          [t('people.email'), email],
          [
            t('people.organization'),
            <Link key="organization" to={`/admin/organizations/${organizationId}`}>
              {organizationName}
            </Link>,
          ],
          [t('people.state'), <Status key="status" status={status} />],
          [t('people.role'), <RoleBadges key="role" role={role} />],
          [t('people.invitedBy'), <Inviter key="inviter" invitation={invitation} />],
          [t('people.invitedAt'), <Time key="created" at={createdAt} exact />],
          [t('people.endsAt'), isOpen ? <Time key="ends" at={expiresAt} exact /> : undefined],
          [t('people.id'), isAllowed ? <Id key="id" id={id} /> : undefined],
        ]}
      />
      {isOpen ? (
        <>
          <span className="panel-actions">
            {status === 'pending' ? <CopyLink link={invitationLink(invitation)} email={email} /> : null}
            <ActionButton permission="all-organizations:update" onClick={onResend}>
              {t('organizations.resend')}
            </ActionButton>
            <ActionButton
              permission="all-organizations:update"
              onClick={() => undo(t('organizations.canceling', { email }), () => cancel(input))}
            >
              {t('organizations.cancelInvitation')}
            </ActionButton>
          </span>
          <ShowCall target={organizationAdministrationContract.adminCancelInvitation} input={input} />
        </>
      ) : null}
      {isAllowed ? null : <p className="who-detail">{t('organizations.idsHidden')}</p>}
    </>
  )
}

/** The list of the invitations of all organizations, with their inviters and states. */
export const InvitationsScreen = () => {
  const { t } = useI18n()
  const [resent, setResent] = useState<Listed>()
  const list = useList({
    contract: invitationAdministrationContract,
    name: 'adminListAllInvitations',
    rows: 'invitations',
    filters,
    isCounted: true,
  })
  const given = filters.flatMap((name) => {
    const value = name === 'id' ? undefined : list.query[name]
    return value === undefined ? [] : [`--${flags[name] ?? name}`, value]
  })
  return (
    <Page title={t('people.invitations')} lead={t('people.invitationsLead')}>
      <div className="filters">
        <SearchBox list={list} name="email" label={t('people.searchInvited')} />
        <FilterSelect
          list={list}
          name="status"
          label={t('people.state')}
          options={statuses.map((one) => [one, t(`organizations.invitation.${one}`)])}
        />
        <FilterName
          list={list}
          name="organizationId"
          label={t('people.organization')}
          kinds={['organization']}
          known={({ organizationId, organizationName }) => [{ kind: 'organization', id: organizationId, name: organizationName }]}
        />
        <FilterName
          list={list}
          name="inviterId"
          label={t('people.invitedBy')}
          kinds={['user']}
          known={({ inviter }) => [inviter === null ? null : { kind: 'user', ...inviter }]}
        />
      </div>
      <DataTable
        label={t('people.invitations')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ email, organizationName }) => `${email}, ${organizationName}`}
        bulk={() => import('./invitation-bulk.tsx').then((file) => file.InvitationBulk)}
        peek={(invitation) => <InvitationPeek invitation={invitation} onResend={() => setResent(invitation)} />}
        empty={
          <Empty icon="mail" title={t('people.invitationsEmpty')} text={t('people.invitationsEmptyText')}>
            <LinkButton kind="secondary" href="/admin/organizations">
              {t('people.toOrganizations')}
            </LinkButton>
          </Empty>
        }
        command={['list-invitations', ...given]}
      />
      {resent === undefined ? null : (
        <ResendDialog
          organization={{ id: resent.organizationId, slug: resent.organizationSlug }}
          invitation={resent}
          onClose={() => setResent(undefined)}
        />
      )}
    </Page>
  )
}
