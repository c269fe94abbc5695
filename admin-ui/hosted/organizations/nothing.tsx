import type { ReactNode } from 'react'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { PlaceLink } from '../account/places.tsx'
import { Panel, Section } from '../account/section.tsx'
import { listPath } from './spots.ts'

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly children?: ReactNode
}

/** In the place of a list that has nothing yet: what would be there, and how it comes there. */
export const Empty = ({ icon, title, text, children }: EmptyProps) => (
  <div className="empty">
    <span className="emblem">
      <Icon name={icon} size={26} />
    </span>
    <p className="empty-title">{title}</p>
    <p className="quiet">{text}</p>
    {children}
  </div>
)

/** For an address of no organization, or of one the person does not belong to: nobody learns which. */
export const NoPlace = () => {
  const { t } = useI18n()
  return (
    <Section title={t('org.gone.title')}>
      <Panel>
        <Empty icon="building" title={t('org.gone.title')} text={t('org.gone.text')}>
          <PlaceLink path={listPath} className="button button-secondary">
            {t('org.toList')}
          </PlaceLink>
        </Empty>
      </Panel>
    </Section>
  )
}
