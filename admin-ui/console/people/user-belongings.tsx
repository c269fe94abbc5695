import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { mailContract } from '../../../src/mail/contract.ts'
import { grantContract } from '../../../src/oidc/grants/contract.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { invitationAdministrationContract } from '../../../src/organizations/invitations/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { nameOfCustomer } from '../billing/parts.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import { Id } from '../shared/id.tsx'
import { Named } from '../shared/named.tsx'
import { PagedPanel } from '../shared/paged-panel.tsx'
import { Line, LineContent, Lines, QueryPanel } from '../shared/query-panel.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useUndo } from '../shared/use-undo.tsx'
import type { AdministeredUser } from './users.tsx'

interface OfUser {
  readonly user: AdministeredUser
}

/** A panel with the organizations of the user, and the user's roles in them. */
export const UserOrganizations = ({ user }: OfUser) => {
  const { t } = useI18n()
  const { api } = useConsole()
  return (
    <PagedPanel
      title={t('people.organizations')}
      permission="all-organizations:read"
      queryKey={[organizationAdministrationContract.adminListOrganizationsOfUser.path, user.id]}
      load={async (place) => {
        const { organizations, next, total } = await api.call(
          organizationAdministrationContract,
          'adminListOrganizationsOfUser',
          {
            params: { id: user.id },
            query: { limit: 10, ...place },
          },
        )
        return { rows: organizations, next, total }
      }}
      idOf={({ id }) => id}
      row={({ id, name, slug, role, joinedAt }) => (
        <LineContent
          title={<Link to={`/admin/organizations/${id}`}>{name}</Link>}
          detail={
            <>
              {slug} · <Time at={joinedAt} />
            </>
          }
        >
          <Badge tone="plain">{role}</Badge>
        </LineContent>
      )}
      empty={t('people.organizationsNone')}
    />
  )
}

/** A panel with the pending invitations for the user's email address. */
export const UserInvitations = ({ user }: OfUser) => {
  const { t } = useI18n()
  const { api } = useConsole()
  return (
    <QueryPanel
      title={t('people.invitations')}
      permission="all-organizations:read"
      query={api.query(invitationAdministrationContract, 'adminListAllInvitations', {
        query: { email: user.email, status: 'pending' },
      })}
    >
      {({ invitations }) => (
        <Lines empty={t('people.invitationsNone')}>
          {invitations.map(({ id, organizationId, organizationName, role, expiresAt }) => (
            <Line
              key={id}
              title={<Link to={`/admin/organizations/${organizationId}`}>{organizationName}</Link>}
              detail={
                <>
                  {t('people.endsAt')} <Time at={expiresAt} />
                </>
              }
            >
              <Badge tone="plain">{role}</Badge>
            </Line>
          ))}
        </Lines>
      )}
    </QueryPanel>
  )
}

const mailTones = { pending: 'new', sent: 'good', failed: 'bad' } as const

/** A panel with the newest mails to the user, and the mail server's responses. */
export const UserMails = ({ user }: OfUser) => {
  const { t } = useI18n()
  const { api } = useConsole()
  return (
    <QueryPanel
      title={t('people.mails')}
      permission="mails:read"
      query={api.query(mailContract, 'listMails', { query: { address: user.email, limit: 10 } })}
    >
      {({ mails }) => (
        <Lines empty={t('people.mailsNone')}>
          {mails.map(({ id, kind, state, createdAt, lastError }) => (
            <Line
              key={id}
              title={<code>{kind}</code>}
              detail={
                <>
                  <Time at={createdAt} />
                  {lastError === null ? null : <span className="break"> · {lastError}</span>}
                </>
              }
            >
              <Badge tone={mailTones[state]}>{t(`people.mail.${state}`)}</Badge>
            </Line>
          ))}
        </Lines>
      )}
    </QueryPanel>
  )
}

/** A panel with the applications that the user has consented to. Each consent has a button that revokes it. */
export const UserApplications = ({ user }: OfUser) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const end = useChange(grantContract, 'endUserConsent')
  const endFor = useChange(grantContract, 'endUserConsentForOrganization')
  const undo = useUndo()
  return (
    <PagedPanel
      title={t('people.applications')}
      permission="grants:read"
      queryKey={[grantContract.listUserConsents.path, user.id]}
      load={async (place) => {
        const { consents, next, total } = await api.call(grantContract, 'listUserConsents', {
          params: { userId: user.id },
          query: { limit: 10, ...place },
        })
        return { rows: consents, next, total }
      }}
      idOf={({ id }) => id}
      row={({ clientId, clientName, scopes, organizationIds, organizations, expiresAt, updatedAt }) => (
        <LineContent
          title={clientName}
          detail={
            <>
              {scopes.join(' ')} · <Time at={updatedAt} />
              {expiresAt !== null && (
                <>
                  {' · '}
                  {t('people.consentUntil')} <Time at={expiresAt} />
                </>
              )}
              {organizations === null && <> · {t('people.consentOfAll')}</>}
            </>
          }
        >
          {organizationIds?.map((organizationId, index) => {
            const organization = organizations?.[index]?.name ?? organizationId
            return (
              <ActionButton
                key={organizationId}
                permission="grants:delete"
                onClick={() =>
                  undo(t('people.accessEndingFor', { client: clientName, name: user.name, organization }), () =>
                    endFor({ params: { userId: user.id, clientId, organizationId } }),
                  )
                }
              >
                {t('people.removeFor', { organization })}
              </ActionButton>
            )
          })}
          <ActionButton
            permission="grants:delete"
            onClick={() =>
              undo(t('people.accessEnding', { client: clientName, name: user.name }), () =>
                end({ params: { userId: user.id, clientId } }),
              )
            }
          >
            {t('people.remove')}
          </ActionButton>
        </LineContent>
      )}
      empty={t('people.applicationsNone')}
    />
  )
}

const CustomerState = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data } = useQuery(api.query(billingAdminContract, 'customer', { params: { id } }))
  if (data === undefined) return null
  return (
    <Lines empty={t('people.entitlementsNone')}>
      {data.state.entitlements.map(({ name, value, validUntil, sources }) => (
        <Line
          key={name}
          title={value === true ? name : `${name}: ${value}`}
          detail={sources.map(({ kind, id: source, rule }) => (
            <span key={source} className="line-source">
              {t(`people.source.${kind}`)} <Id id={source} /> {rule}
            </span>
          ))}
        >
          {validUntil === null ? null : <Time at={validUntil} />}
        </Line>
      ))}
    </Lines>
  )
}

/** A panel with the user's entitlements, each with the purchase and the rule that grant it. */
export const UserEntitlements = ({ user }: OfUser) => {
  const { t } = useI18n()
  const { api } = useConsole()
  return (
    <QueryPanel
      title={t('people.entitlements')}
      permission="customers:read"
      query={api.query(billingAdminContract, 'customersOfUser', { params: { id: user.id } })}
    >
      {({ customers }) => {
        return customers.length === 0 ? (
          <p className="panel-note">{t('people.customersNone')}</p>
        ) : (
          customers.map((customer) => (
            <div key={customer.id}>
              <CustomerState id={customer.id} />
              <p className="panel-note">
                {t('people.customer')} <Named of={{ kind: 'customer', id: customer.id, name: nameOfCustomer(customer) }} />
              </p>
            </div>
          ))
        )
      }}
    </QueryPanel>
  )
}
