import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { EmptyState } from '../account/empty-state.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { Panel, Section } from '../account/section.tsx'
import { listPath } from './routes.ts'

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

/** For a member who has given one factor where the organization wants two, and did not give the other when asked. */
export const OrganizationLocked = () => {
  const { t } = useI18n()
  return (
    <Section title={t('org.locked')}>
      <Panel>
        <EmptyState icon="lock" title={t('org.locked')} text={t('org.lockedText')}>
          <Button icon="refresh" onClick={() => location.reload()}>
            {t('common.reload')}
          </Button>
        </EmptyState>
      </Panel>
    </Section>
  )
}
