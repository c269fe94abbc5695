import type { WireApi } from '../../../src/http/contract.ts'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { AppTile, Badge, Button, Notice } from '../../shared/ui.tsx'
import { useAccount } from '../account/context.ts'
import { Loaded, useLoader } from '../account/loading.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel, Section } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { EmptyState } from './empty.tsx'
import { rolesOf, useRoleWords } from './roles.tsx'
import { newPath, organizationPath } from './routes.ts'

type OwnOrganization = Answer<WireApi<typeof organizationContract>['listOrganizations']>[number]
type PendingInvitation = Answer<WireApi<typeof invitationContract>['listUserInvitations']>[number]

/** Whether the person may create one, as far as configuration says; the server decides. */
const useCreationPermission = (): 'open' | 'verify' | 'closed' => {
  const { user, settings } = useAccount()
  const { organizationCreation: who } = settings
  if (who === 'verified') return user.emailVerified ? 'open' : 'verify'
  return who === 'everybody' || (who === 'admins' && user.role === 'admin') ? 'open' : 'closed'
}

const NewLink = () => (
  <AccountLink path={newPath} className="button button-primary">
    {useI18n().t('orgs.new')}
  </AccountLink>
)

interface RowProps {
  readonly organization: OwnOrganization
  readonly working: boolean
  readonly onUse: () => void
}

const OrganizationRow = ({ organization: { id, name, slug, role }, working, onUse }: RowProps) => {
  const { t } = useI18n()
  const { listOf } = useRoleWords()
  const isActive = useAccount().session.activeOrganizationId === id
  return (
    <li className="row row-linked">
      <AppTile name={name} />
      <span className="row-text">
        <span className="row-title">
          <AccountLink path={organizationPath(slug)} className="row-link">
            {name}
          </AccountLink>
          {isActive ? (
            <Badge tone="good" icon="check">
              {t('orgs.active')}
            </Badge>
          ) : null}
        </span>
        <span className="row-detail">
          <span>{listOf(rolesOf(role))}</span>
          <span className="break">{slug}</span>
        </span>
      </span>
      {isActive ? null : (
        <span className="row-actions">
          <Button kind="secondary" working={working} name={t('orgs.useName', { organization: name })} onClick={onUse}>
            {t('orgs.use')}
          </Button>
        </span>
      )}
    </li>
  )
}

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

/** The organizations of the user, and the pending invitations to others. */
export const ListPage = ({ notice }: { readonly notice: string | undefined }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { refresh } = useAccount()
  const creation = useCreationPermission()
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const own = useLoader(() => api.of(organizationContract).listOrganizations())
  // The server lists no invitations for an unverified address.
  const pending = useLoader(() =>
    api
      .of(invitationContract)
      .listUserInvitations()
      .catch(() => []),
  )

  const use = ({ id, name }: OwnOrganization) =>
    run(
      id,
      async () => {
        await api.of(organizationContract).setActiveOrganization({ body: { organizationId: id } })
        await refresh()
      },
      t('orgs.used', { organization: name }),
    )
  const accept = ({ id, organizationName: organization }: PendingInvitation) =>
    run(
      `accept ${id}`,
      async () => {
        await api.of(invitationContract).acceptInvitation({ body: { invitationId: id } })
        await Promise.all([own.reload(), pending.reload(), refresh()])
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
  const hasSome = own.value !== undefined && own.value.length > 0
  return (
    <Section
      title={t('account.organizations')}
      lead={t('orgs.lead')}
      action={hasSome && creation === 'open' ? <NewLink /> : undefined}
    >
      <OutcomeNotice
        of={outcome.success === undefined && outcome.problem === undefined ? { ...outcome, success: notice } : outcome}
      />
      {invitations.length === 0 ? null : (
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
      )}
      <Panel>
        <Loaded of={own} rows={2}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState
                icon="building"
                title={t('orgs.none.title')}
                text={t(creation === 'open' ? 'orgs.none.text' : 'orgs.none.ask')}
              >
                {creation === 'open' ? <NewLink /> : null}
              </EmptyState>
            ) : (
              <ul className="rows">
                {list.map((organization) => (
                  <OrganizationRow
                    key={organization.id}
                    organization={organization}
                    working={busy === organization.id}
                    onUse={() => use(organization)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
      {creation === 'verify' ? <Notice tone="wait">{t('orgs.verifyFirst')}</Notice> : null}
    </Section>
  )
}
