import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { AppTile } from '../../shared/ui.tsx'
import { useAccount } from '../account/context.ts'
import { AccountLink } from '../account/navigation.tsx'
import { SectionTitle } from '../account/section.tsx'
import { useOrganization } from './context.ts'
import { RoleBadges } from './roles.tsx'
import type { Tab } from './routes.ts'
import { listPath, organizationPath, tabs } from './routes.ts'

/** A link back to the parent page. Other sections of the account area show such a link only on small screens. */
export const BackToList = () => (
  <AccountLink path={listPath} className="account-back account-back-always">
    <Icon name="back" size={18} />
    {useI18n().t('account.organizations')}
  </AccountLink>
)

const Tabs = ({ current }: { readonly current: Tab }) => {
  const { t } = useI18n()
  const { settings } = useAccount()
  const { organization, can } = useOrganization()
  const open = tabs.filter(
    (tab) =>
      (tab !== 'teams' || settings.teamsEnabled) &&
      (tab !== 'settings' || can('organization', 'update') || can('organization', 'delete')),
  )
  const nav = useRef<HTMLElement>(null)
  // Small screens have no room for all tabs, so the open tab is scrolled into view.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <nav ref={nav} className="tabs" aria-label={t('org.sections', { organization: organization.name })}>
      <ul>
        {open.map((tab) => (
          <li key={tab}>
            <AccountLink path={organizationPath(organization.slug, tab)} className="tab" isCurrent={tab === current}>
              {t(`org.${tab}`)}
            </AccountLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The head of every page of an organization: the organization's name, the person's roles, and tabs for its other pages. */
export const OrganizationHead = ({ tab }: { readonly tab: Tab }) => {
  const { organization, member } = useOrganization()
  return (
    <>
      <BackToList />
      <div className="org-head">
        <AppTile name={organization.name} logo={organization.logo} size="large" />
        <div className="org-head-text">
          {tab === 'overview' ? (
            <SectionTitle title={organization.name} />
          ) : (
            <p className="org-name break">{organization.name}</p>
          )}
          <p className="org-roles">
            <RoleBadges role={member.role} />
          </p>
        </div>
      </div>
      <Tabs current={tab} />
    </>
  )
}

interface TabHeadingProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly action?: ReactNode
}

/** The title of an organization's page. On the overview, the organization's name takes its place. */
export const TabHeading = ({ title, lead, action }: TabHeadingProps) => {
  const { organization } = useOrganization()
  return (
    <div className="heading tab-heading">
      <div>
        <SectionTitle title={title} tab={`${title} · ${organization.name}`} />
        {lead === undefined ? null : <p className="lead">{lead}</p>}
      </div>
      {action}
    </div>
  )
}
