import type { WireApi } from '../../../src/http/contract.ts'
import { organizationContract } from '../../../src/organizations/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { rolesOf } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { AppTile, Badge, Button, Notice } from '../../shared/ui.tsx'
import { useAccount } from '../account/context.ts'
import { EmptyState } from '../account/empty-state.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel, Section } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { PendingInvitations } from './pending.tsx'
import { useRoleWords } from './roles.tsx'
import { newPath, organizationPath } from './routes.ts'

type OwnOrganization = Answer<WireApi<typeof organizationContract>['listOrganizations']>[number]

/** Whether the person may make an organization: `verify` means only after verifying the email address. The server checks this again. */
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

const OrganizationRow = ({ organization: { id, name, slug, logo, role }, working, onUse }: RowProps) => {
  const { t } = useI18n()
  const { listOf } = useRoleWords()
  const isActive = useAccount().session.activeOrganizationId === id
  return (
    <li className="row row-linked">
      <AppTile name={name} logo={logo} />
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

/** The page with the person's organizations, and the pending invitations to further ones. */
export const ListPage = ({ notice }: { readonly notice: string | undefined }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { refresh } = useAccount()
  const creation = useCreationPermission()
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const own = useLoader(() => api.of(organizationContract).listOrganizations())

  const use = ({ id, name }: OwnOrganization) =>
    run(
      id,
      async () => {
        await api.of(organizationContract).setActiveOrganization({ body: { organizationId: id } })
        await refresh()
      },
      t('orgs.used', { organization: name }),
    )
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
      <PendingInvitations outcome={outcome} onAccepted={own.reload} />
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
