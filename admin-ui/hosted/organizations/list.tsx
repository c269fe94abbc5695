import type { Api } from '../../../src/http/contract.ts'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { AppTile, Badge, Button, Notice } from '../../shared/ui.tsx'
import { Arriving, useLoaded } from '../account/loaded.tsx'
import { usePerson } from '../account/person.ts'
import { PlaceLink } from '../account/places.tsx'
import { Panel, Section } from '../account/section.tsx'
import { Told, useTold } from '../account/told.tsx'
import { useHosted } from '../context.tsx'
import { useAct } from './here.ts'
import { Empty } from './nothing.tsx'
import { rolesOf, useRoleWords } from './roles.tsx'
import { newPath, organizationPath } from './spots.ts'

type Mine = Answer<Api<typeof organizationContract>['listOrganizations']>[number]
type Waiting = Answer<Api<typeof invitationContract>['listUserInvitations']>[number]

/** Whether the person may create one, as far as configuration says; the server decides. */
const useCreation = (): 'open' | 'verify' | 'closed' => {
  const { user, settings } = usePerson()
  const { organizationCreation: who } = settings
  if (who === 'verified') return user.emailVerified ? 'open' : 'verify'
  return who === 'everybody' || (who === 'admins' && user.role === 'admin') ? 'open' : 'closed'
}

const NewLink = () => (
  <PlaceLink path={newPath} className="button button-primary">
    {useI18n().t('orgs.new')}
  </PlaceLink>
)

interface RowProps {
  readonly organization: Mine
  readonly working: boolean
  readonly onUse: () => void
}

const OrganizationRow = ({ organization: { id, name, slug, role }, working, onUse }: RowProps) => {
  const { t } = useI18n()
  const { listOf } = useRoleWords()
  const isActive = usePerson().session.activeOrganizationId === id
  return (
    <li className="row row-leads">
      <AppTile name={name} />
      <span className="row-words">
        <span className="row-title">
          <PlaceLink path={organizationPath(slug)} className="row-link">
            {name}
          </PlaceLink>
          {isActive ? (
            <Badge tone="good" icon="check">
              {t('orgs.active')}
            </Badge>
          ) : null}
        </span>
        <span className="row-detail">
          <span>{listOf(rolesOf(role))}</span>
          <span className="break">{slug}</span>
        </span>
      </span>
      {isActive ? null : (
        <span className="row-actions">
          <Button kind="secondary" working={working} name={t('orgs.useName', { organization: name })} onClick={onUse}>
            {t('orgs.use')}
          </Button>
        </span>
      )}
    </li>
  )
}

interface WaitingRowProps {
  readonly invitation: Waiting
  readonly busy: string | undefined
  readonly onAccept: () => void
  readonly onDecline: () => void
}

const WaitingRow = ({ invitation: { id, organizationName, role, expiresAt }, busy, onAccept, onDecline }: WaitingRowProps) => {
  const { t, ahead } = useI18n()
  const { listOf } = useRoleWords()
  const organization = { organization: organizationName }
  return (
    <li className="row">
      <AppTile name={organizationName} />
      <span className="row-words">
        <span className="row-title">{organizationName}</span>
        <span className="row-detail">
          <span>{t('orgs.asRole', { roles: listOf(rolesOf(role)) })}</span>
          <span>{t('orgs.expires', { when: ahead(expiresAt, new Date()) })}</span>
        </span>
      </span>
      <span className="row-actions">
        <Button
          kind="secondary"
          working={busy === `decline ${id}`}
          name={t('orgs.declineName', organization)}
          onClick={onDecline}
        >
          {t('orgs.decline')}
        </Button>
        <Button working={busy === `accept ${id}`} name={t('orgs.acceptName', organization)} onClick={onAccept}>
          {t('orgs.accept')}
        </Button>
      </span>
    </li>
  )
}

/** The organizations of the person, and those that would like to have them. */
export const ListPage = ({ greeting }: { readonly greeting: string | undefined }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { refresh } = usePerson()
  const creation = useCreation()
  const told = useTold()
  const { busy, act } = useAct(told)
  const mine = useLoaded(() => api.of(organizationContract).listOrganizations())
  // Who has no verified address is told of none.
  const waiting = useLoaded(() =>
    api
      .of(invitationContract)
      .listUserInvitations()
      .catch(() => []),
  )

  const use = ({ id, name }: Mine) =>
    act(
      id,
      async () => {
        await api.of(organizationContract).setActiveOrganization({ body: { organizationId: id } })
        await refresh()
      },
      t('orgs.used', { organization: name }),
    )
  const accept = ({ id, organizationName: organization }: Waiting) =>
    act(
      `accept ${id}`,
      async () => {
        await api.of(invitationContract).acceptInvitation({ body: { invitationId: id } })
        await Promise.all([mine.reload(), waiting.reload(), refresh()])
      },
      t('orgs.accepted', { organization }),
    )
  const decline = ({ id, organizationName: organization }: Waiting) =>
    act(
      `decline ${id}`,
      async () => {
        await api.of(invitationContract).rejectInvitation({ body: { invitationId: id } })
        await waiting.reload()
      },
      t('orgs.declined', { organization }),
    )
  const invitations = waiting.value ?? []
  const hasSome = mine.value !== undefined && mine.value.length > 0
  return (
    <Section
      title={t('account.organizations')}
      lead={t('orgs.lead')}
      action={hasSome && creation === 'open' ? <NewLink /> : undefined}
    >
      <Told of={told.good === undefined && told.problem === undefined ? { ...told, good: greeting } : told} />
      {invitations.length === 0 ? null : (
        <Panel id="waiting" title={t('orgs.waiting')}>
          <ul className="rows">
            {invitations.map((invitation) => (
              <WaitingRow
                key={invitation.id}
                invitation={invitation}
                busy={busy}
                onAccept={() => accept(invitation)}
                onDecline={() => decline(invitation)}
              />
            ))}
          </ul>
        </Panel>
      )}
      <Panel>
        <Arriving of={mine} rows={2}>
          {(list) =>
            list.length === 0 ? (
              <Empty
                icon="building"
                title={t('orgs.none.title')}
                text={t(creation === 'open' ? 'orgs.none.text' : 'orgs.none.ask')}
              >
                {creation === 'open' ? <NewLink /> : null}
              </Empty>
            ) : (
              <ul className="rows">
                {list.map((organization) => (
                  <OrganizationRow
                    key={organization.id}
                    organization={organization}
                    working={busy === organization.id}
                    onUse={() => use(organization)}
                  />
                ))}
              </ul>
            )
          }
        </Arriving>
      </Panel>
      {creation === 'verify' ? <Notice tone="wait">{t('orgs.verifyFirst')}</Notice> : null}
    </Section>
  )
}
