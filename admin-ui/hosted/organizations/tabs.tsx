import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { AppTile } from '../../shared/ui.tsx'
import { usePerson } from '../account/person.ts'
import { PlaceLink } from '../account/places.tsx'
import { SectionTitle } from '../account/section.tsx'
import { useHere } from './here.ts'
import { RoleBadges } from './roles.tsx'
import type { Tab } from './spots.ts'
import { listPath, organizationPath, tabs } from './spots.ts'

/** One step up; here it is there on large screens too. */
export const BackToList = () => (
  <PlaceLink path={listPath} className="account-back account-back-always">
    <Icon name="back" size={18} />
    {useI18n().t('account.organizations')}
  </PlaceLink>
)

const Tabs = ({ current }: { readonly current: Tab }) => {
  const { t } = useI18n()
  const { settings } = usePerson()
  const { organization, may } = useHere()
  const open = tabs.filter(
    (tab) =>
      (tab !== 'teams' || settings.teamsEnabled) &&
      (tab !== 'settings' || may('organization', 'update') || may('organization', 'delete')),
  )
  const nav = useRef<HTMLElement>(null)
  // On small screens not all of them fit: the open one is seen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <nav ref={nav} className="tabs" aria-label={t('org.sections', { organization: organization.name })}>
      <ul>
        {open.map((tab) => (
          <li key={tab}>
            <PlaceLink path={organizationPath(organization.slug, tab)} className="tab" isCurrent={tab === current}>
              {t(`org.${tab}`)}
            </PlaceLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Above every page of an organization: which one it is, who one is there, and its other pages. */
export const OrganizationHead = ({ tab }: { readonly tab: Tab }) => {
  const { organization, member } = useHere()
  return (
    <>
      <BackToList />
      <div className="org-head">
        <AppTile name={organization.name} size="large" />
        <div className="org-head-words">
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

/** The title of a page of an organization; the overview has the organization's name instead. */
export const TabHeading = ({ title, lead, action }: TabHeadingProps) => {
  const { organization } = useHere()
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
