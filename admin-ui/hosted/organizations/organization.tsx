import type { ComponentType } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { hostedOrganizationContract } from '../../../src/organizations/hosted/contract.ts'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { AreaContext } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Panel, SectionTitle } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { currentOrganizationOf, OrganizationContext } from './context.ts'
import { OrganizationLocked, OrganizationNotFound } from './empty.tsx'
import { InvitationsTab } from './invitations.tsx'
import { MembersTab } from './members.tsx'
import { OverviewTab } from './overview.tsx'
import type { OrganizationRoute, Tab } from './routes.ts'
import { accountArea } from './rows.tsx'
import { SettingsTab } from './settings.tsx'
import { BackToList, OrganizationHead } from './tabs.tsx'
import { TeamTab } from './team.tsx'
import { TeamsTab } from './teams.tsx'

export interface TabProps {
  /** A message from the page before this one, for example that a change was saved. */
  readonly notice: string | undefined
}

const pages: Readonly<Record<Tab, ComponentType<TabProps>>> = {
  overview: OverviewTab,
  members: MembersTab,
  invitations: InvitationsTab,
  teams: TeamsTab,
  settings: SettingsTab,
}

interface Props extends TabProps {
  readonly route: Extract<OrganizationRoute, { readonly at: 'organization' }>
}

/** The pages of one organization. What the person may do in it is loaded when the first page is opened, and again after changes. */
export const OrganizationPages = ({ route: { slug, tab, teamId }, notice }: Props) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const view = useLoader(() =>
    api
      .of(hostedOrganizationContract)
      .viewOrganization({ query: { organizationSlug: slug } })
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'SECOND_FACTOR_REQUIRED') return 'one-factor' as const
        if (error instanceof ApiError && (error.status === 400 || error.status === 403)) return 'none' as const
        throw error
      }),
  )
  if (view.value === 'none') return <OrganizationNotFound />
  if (view.value === 'one-factor') return <OrganizationLocked slug={slug} />
  if (view.value === undefined) {
    return (
      <>
        <BackToList />
        <div className="visually-hidden">
          <SectionTitle title={t('account.organizations')} />
        </div>
        <Panel>
          <Loaded of={view} rows={3}>
            {() => null}
          </Loaded>
        </Panel>
      </>
    )
  }
  const organization = currentOrganizationOf(view.value, view.reload)
  const Page = pages[tab]
  return (
    <OrganizationContext value={organization}>
      <OrganizationHead key={`${tab} ${teamId}`} tab={tab} />
      <AreaContext value={accountArea}>
        {teamId === undefined ? <Page key={tab} notice={notice} /> : <TeamTab key={teamId} id={teamId} />}
      </AreaContext>
    </OrganizationContext>
  )
}
