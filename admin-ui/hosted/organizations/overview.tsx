import { use, useState } from 'react'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { memberContract } from '../../../src/organizations/members/contract.ts'
import { rolesOf } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { Confirm } from '../account/confirm.tsx'
import { useAccount } from '../account/context.ts'
import { AccountLink } from '../account/navigation.tsx'
import type { Outcome } from '../account/outcome.tsx'
import { OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { RedirectContext, useOrganization } from './context.ts'
import type { TabProps } from './organization.tsx'
import { useRoleWords } from './roles.tsx'
import { listPath, organizationPath } from './routes.ts'
import { Seats } from './seats.tsx'

const Details = ({ outcome }: { readonly outcome: Outcome }) => {
  const { api } = useHosted()
  const { t, date } = useI18n()
  const { listOf } = useRoleWords()
  const { session, refresh } = useAccount()
  const { organization, member, seats, plan } = useOrganization()
  const { busy, run } = useAction(outcome)
  const use = () =>
    run(
      'use',
      async () => {
        await api.of(organizationContract).setActiveOrganization({ body: { organizationId: organization.id } })
        await refresh()
      },
      t('orgs.used', { organization: organization.name }),
    )
  return (
    <Panel id="facts" title={t('org.details')}>
      <dl className="facts">
        <div>
          <dt>{t('org.yourRoles')}</dt>
          <dd>{listOf(rolesOf(member.role))}</dd>
        </div>
        <div>
          <dt>{t('account.memberSince')}</dt>
          <dd>{date(member.createdAt)}</dd>
        </div>
        <div>
          <dt>{t('org.slug')}</dt>
          <dd>{organization.slug}</dd>
        </div>
        {plan === null ? null : (
          <div>
            <dt>{t('org.plan')}</dt>
            <dd>{plan}</dd>
          </div>
        )}
        {seats === null ? null : (
          <div>
            <dt>{t('org.seats')}</dt>
            <dd>
              <Seats />
            </dd>
          </div>
        )}
        <div>
          <dt>{t('org.activeFor')}</dt>
          <dd>
            {session.activeOrganizationId === organization.id ? (
              <Badge tone="good" icon="check">
                {t('orgs.active')}
              </Badge>
            ) : (
              <Button kind="quiet" working={busy === 'use'} onClick={use}>
                {t('orgs.use')}
              </Button>
            )}
            <p className="quiet">{t('org.useText', { organization: organization.name })}</p>
          </dd>
        </div>
      </dl>
    </Panel>
  )
}

const Leave = ({ outcome }: { readonly outcome: Outcome }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { refresh } = useAccount()
  const { organization, member } = useOrganization()
  const redirectTo = use(RedirectContext)
  const { busy, run } = useAction(outcome)
  const [asking, setAsking] = useState(false)
  const named = { organization: organization.name }
  const leave = () => {
    setAsking(false)
    run('leave', async () => {
      await api.of(memberContract).leaveOrganization({ body: { organizationId: organization.id } })
      await refresh()
      redirectTo(listPath, t('org.left', named))
    })
  }
  return (
    <Panel id="leave" title={t('org.leave')}>
      <p className="quiet panel-lead">{t(member.isOnlyOwner ? 'org.leaveOnlyOwner' : 'org.leaveText')}</p>
      {member.isOnlyOwner ? null : (
        <Button kind="secondary" icon="signOut" working={busy === 'leave'} onClick={() => setAsking(true)}>
          {t('org.leave')}
        </Button>
      )}
      {asking ? (
        <Confirm
          title={t('org.leaveTitle', named)}
          text={t('org.leaveText')}
          action={t('org.leaveSubmit')}
          onConfirm={leave}
          onCancel={() => setAsking(false)}
        />
      ) : null}
    </Panel>
  )
}

export const OverviewTab = ({ notice }: TabProps) => {
  const { t } = useI18n()
  const { organization, can } = useOrganization()
  const outcome = useOutcome()
  const isSilent = outcome.success === undefined && outcome.problem === undefined
  return (
    <>
      <OutcomeNotice of={isSilent ? { ...outcome, success: notice } : outcome} />
      <Details outcome={outcome} />
      {can('invitation', 'create') ? (
        <Panel id="invite" title={t('invite.title')}>
          <p className="quiet panel-lead">{t('org.inviteText')}</p>
          <AccountLink path={organizationPath(organization.slug, 'invitations')} className="button button-primary">
            {t('invite.submit')}
          </AccountLink>
        </Panel>
      ) : null}
      <Leave outcome={outcome} />
    </>
  )
}
