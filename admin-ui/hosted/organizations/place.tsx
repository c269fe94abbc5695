import type { ComponentType } from 'react'
import { ApiError } from '../../../src/http/contract.ts'
import { hostedOrganizationContract } from '../../../src/organizations/hosted/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Arriving, useLoaded } from '../account/loaded.tsx'
import { Panel, SectionTitle } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { HereContext, hereOf } from './here.ts'
import { InvitationsTab } from './invitations.tsx'
import { MembersTab } from './members.tsx'
import { NoPlace } from './nothing.tsx'
import { OverviewTab } from './overview.tsx'
import { SettingsTab } from './settings.tsx'
import type { Spot, Tab } from './spots.ts'
import { BackToList, OrganizationHead } from './tabs.tsx'
import { TeamTab } from './team.tsx'
import { TeamsTab } from './teams.tsx'

export interface TabProps {
  /** What was said on the way here. */
  readonly greeting: string | undefined
}

const pages: Readonly<Record<Tab, ComponentType<TabProps>>> = {
  overview: OverviewTab,
  members: MembersTab,
  invitations: InvitationsTab,
  teams: TeamsTab,
  settings: SettingsTab,
}

interface Props extends TabProps {
  readonly spot: Extract<Spot, { readonly at: 'organization' }>
}

/** The pages of one organization. What the person may do there is asked for once and after each change of it. */
export const Place = ({ spot: { slug, tab, teamId }, greeting }: Props) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const view = useLoaded(() =>
    api
      .of(hostedOrganizationContract)
      .viewOrganization({ query: { organizationSlug: slug } })
      .catch((error: unknown) => {
        if (error instanceof ApiError && (error.status === 400 || error.status === 403)) return 'none' as const
        throw error
      }),
  )
  if (view.value === 'none') return <NoPlace />
  if (view.value === undefined) {
    return (
      <>
        <BackToList />
        <div className="unseen">
          <SectionTitle title={t('account.organizations')} />
        </div>
        <Panel>
          <Arriving of={view} rows={3}>
            {() => null}
          </Arriving>
        </Panel>
      </>
    )
  }
  const here = hereOf(view.value, view.reload)
  const Page = pages[tab]
  return (
    <HereContext value={here}>
      <OrganizationHead key={`${tab} ${teamId}`} tab={tab} />
      {teamId === undefined ? <Page key={tab} greeting={greeting} /> : <TeamTab key={teamId} id={teamId} />}
    </HereContext>
  )
}
