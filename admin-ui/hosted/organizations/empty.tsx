import { organizationContract } from '../../../src/organizations/contract.ts'
import { enrolPathFrom } from '../../shared/account-paths.ts'
import { useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useAccount } from '../account/context.ts'
import { EmptyState } from '../account/empty-state.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { Panel, Section } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { listPath } from './routes.ts'

/**
 * Shown if the organization does not exist or the person is not a member. The text is the same for both, so that it does not reveal which
 * organizations exist.
 */
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

interface LockedProps {
  readonly slug: string
}

/** Shown if the organization requires two factors and the person has signed in with one. The person can give a second factor now, or add one. */
export const OrganizationLocked = ({ slug }: LockedProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { secondFactors } = useAccount()
  const own = useLoader(() => api.of(organizationContract).listOrganizations())
  const name = own.value?.find((organization) => organization.slug === slug)?.name ?? slug
  const hasFactor = secondFactors.value?.isEnabled === true
  const title = t('org.locked', { organization: name })
  return (
    <Section title={title}>
      <Panel>
        <EmptyState icon="lock" title={title} text={t(hasFactor ? 'org.lockedText' : 'org.lockedSetUp', { organization: name })}>
          {hasFactor ? (
            <Button icon="refresh" onClick={() => location.reload()}>
              {t('org.lockedConfirm')}
            </Button>
          ) : (
            <AccountLink path={enrolPathFrom(location.pathname)} className="button button-primary">
              {t('twoStep.switchOn')}
            </AccountLink>
          )}
        </EmptyState>
      </Panel>
    </Section>
  )
}
