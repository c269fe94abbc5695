import type { ReactNode } from 'react'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { Panel, Section } from '../account/section.tsx'
import { listPath } from './routes.ts'

interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly children?: ReactNode
}

/** Shown instead of an empty list: what it is for, and how to add to it. */
export const EmptyState = ({ icon, title, text, children }: EmptyStateProps) => (
  <div className="empty">
    <span className="emblem">
      <Icon name={icon} size={26} />
    </span>
    <p className="empty-title">{title}</p>
    <p className="quiet">{text}</p>
    {children}
  </div>
)

/** For an unknown organization and for one the user is no member of: the page does not reveal which. */
export const OrganizationNotFound = () => {
  const { t } = useI18n()
  return (
    <Section title={t('org.notFound.title')}>
      <Panel>
        <EmptyState icon="building" title={t('org.notFound.title')} text={t('org.notFound.text')}>
          <AccountLink path={listPath} className="button button-secondary">
            {t('org.toList')}
          </AccountLink>
        </EmptyState>
      </Panel>
    </Section>
  )
}
