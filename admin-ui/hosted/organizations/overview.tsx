import { use, useState } from 'react'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { memberContract } from '../../../src/organizations/members/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { Confirm } from '../account/confirm.tsx'
import { usePerson } from '../account/person.ts'
import { PlaceLink } from '../account/places.tsx'
import { Panel } from '../account/section.tsx'
import { Told, useTold } from '../account/told.tsx'
import { useHosted } from '../context.tsx'
import { LeadContext, useAct, useHere } from './here.ts'
import type { TabProps } from './place.tsx'
import { rolesOf, useRoleWords } from './roles.tsx'
import { listPath, organizationPath } from './spots.ts'

const Facts = ({ told }: { readonly told: Told }) => {
  const { api } = useHosted()
  const { t, date } = useI18n()
  const { listOf } = useRoleWords()
  const { session, refresh } = usePerson()
  const { organization, member } = useHere()
  const { busy, act } = useAct(told)
  const use = () =>
    act(
      'use',
      async () => {
        await api.of(organizationContract).setActiveOrganization({ body: { organizationId: organization.id } })
        await refresh()
      },
      t('orgs.used', { organization: organization.name }),
    )
  return (
    <Panel id="facts" title={t('org.facts')}>
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
          </dd>
        </div>
      </dl>
    </Panel>
  )
}

const Leave = ({ told }: { readonly told: Told }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { refresh } = usePerson()
  const { organization, member } = useHere()
  const lead = use(LeadContext)
  const { busy, act } = useAct(told)
  const [asking, setAsking] = useState(false)
  const named = { organization: organization.name }
  const leave = () => {
    setAsking(false)
    act('leave', async () => {
      await api.of(memberContract).leaveOrganization({ body: { organizationId: organization.id } })
      await refresh()
      lead(listPath, t('org.left', named))
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

export const OverviewTab = ({ greeting }: TabProps) => {
  const { t } = useI18n()
  const { organization, may } = useHere()
  const told = useTold()
  const isSilent = told.good === undefined && told.problem === undefined
  return (
    <>
      <Told of={isSilent ? { ...told, good: greeting } : told} />
      <Facts told={told} />
      {may('invitation', 'create') ? (
        <Panel id="invite" title={t('invite.title')}>
          <p className="quiet panel-lead">{t('org.inviteText')}</p>
          <PlaceLink path={organizationPath(organization.slug, 'invitations')} className="button button-primary">
            {t('invite.submit')}
          </PlaceLink>
        </Panel>
      ) : null}
      <Leave told={told} />
    </>
  )
}
