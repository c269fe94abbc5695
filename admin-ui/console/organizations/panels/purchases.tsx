import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { billingAdminContract } from '../../../../src/billing/queries/contract/admin.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { Id } from '../../shared/id.tsx'
import { Line, Lines, QueryPanel } from '../../shared/query-panel.tsx'
import { Time } from '../../shared/time.tsx'
import type { Organization } from '../parts.tsx'

/** The entitlements of a billing customer, each with the purchase and the rule that grant it. */
const Entitlements = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data } = useQuery(api.query(billingAdminContract, 'customer', { params: { id } }))
  if (data === undefined) return null
  const { seats, entitlements } = data.state
  return (
    <>
      {seats === null ? null : <p className="panel-note">{t('organizations.seats', { count: seats })}</p>}
      <Lines empty={t('organizations.entitlementsNone')}>
        {entitlements.map(({ name, value, validUntil, sources }) => (
          <Line
            key={name}
            title={value === true ? name : `${name}: ${value}`}
            detail={sources.map(({ kind, id: source, rule }) => (
              <span key={`${kind} ${source}`} className="line-source">
                {t(`organizations.source.${kind}`)} <Id id={source} /> {rule}
              </span>
            ))}
          >
            {validUntil === null ? null : <Time at={validUntil} />}
          </Line>
        ))}
      </Lines>
    </>
  )
}

/** A panel with the purchases of the organization, for each billing customer that it owns. */
export const PurchasesPanel = ({ organization: { id } }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { api, screens } = useConsole()
  return (
    <QueryPanel
      title={t('organizations.purchases')}
      permission="customers:read"
      query={api.query(billingAdminContract, 'customersOfOrganization', { params: { id } })}
    >
      {({ customers }) =>
        customers.length === 0 ? (
          <p className="panel-note">{t('organizations.customersNone')}</p>
        ) : (
          customers.map(({ id: customerId, name, email }) => (
            <div key={customerId}>
              <p className="panel-note">
                {t('organizations.customer')}{' '}
                {screens.has('/admin/billing/customers') ? (
                  <Link to={`/admin/billing/customers/${encodeURIComponent(customerId)}`}>{name ?? email ?? customerId}</Link>
                ) : (
                  (name ?? email ?? customerId)
                )}
              </p>
              <Entitlements id={customerId} />
            </div>
          ))
        )
      }
    </QueryPanel>
  )
}
