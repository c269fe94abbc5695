import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { ApiError } from '../../../src/http/client.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { AreaContext } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { AppTile } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { NotFound } from '../shell/not-found.tsx'
import { DeleteOrganization } from './delete-dialog.tsx'
import { HistoryPanel } from './panels/history.tsx'
import { InvitationsPanel } from './panels/invitations.tsx'
import { KeysPanel } from './panels/keys.tsx'
import { MembersPanel } from './panels/members.tsx'
import { PolicyPanel } from './panels/policy.tsx'
import { ProfilePanel } from './panels/profile.tsx'
import { PurchasesPanel } from './panels/purchases.tsx'
import { TeamsPanel } from './panels/teams.tsx'
import type { Organization } from './parts.tsx'
import { consoleArea } from './rows.tsx'

const Screen = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { name, slug, logo } = organization
  return (
    <Page
      title={name}
      lead={slug}
      mark={<AppTile name={name} logo={logo} />}
      back={{ to: '/admin/organizations', text: t('organizations.title') }}
      actions={<DeleteOrganization organization={organization} />}
    >
      <div className="columns">
        <div className="column">
          <ProfilePanel organization={organization} />
          <AreaContext value={consoleArea}>
            <MembersPanel organization={organization} />
            <InvitationsPanel organization={organization} />
          </AreaContext>
        </div>
        <div className="column">
          <PolicyPanel organization={organization} />
          <AreaContext value={consoleArea}>
            <TeamsPanel organization={organization} />
          </AreaContext>
          <PurchasesPanel organization={organization} />
          <KeysPanel organization={organization} />
        </div>
      </div>
      <HistoryPanel organization={organization} />
    </Page>
  )
}

/** The screen of an organization: its data, members, invitations, policy and history. */
export const OrganizationScreen = () => {
  const { api } = useConsole()
  const { id = '' } = useParams()
  const { data, error, refetch } = useQuery(
    api.query(organizationAdministrationContract, 'adminGetOrganization', { params: { id } }),
  )
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return <Screen key={id} organization={data} />
}
