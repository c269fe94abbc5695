import { Link } from 'react-router'
import type { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { CopyId, shortened } from '../shared/id.tsx'
import { Named } from '../shared/named.tsx'
import { useResourceAddress } from '../shared/resource-link.tsx'
import '../styles/billing.css'

type Answers = WireApi<typeof billingAdminContract>
export type CustomerDetails = Answer<Answers['customer']>
export type Customer = CustomerDetails['customer']
export type ListedCustomer = Answer<Answers['customers']>['customers'][number]
export type Delivery = Answer<Answers['deliveries']>['deliveries'][number]
export type DeliveryDetails = Answer<Answers['delivery']>

export const customerPath = (id: string) => `/admin/billing/customers/${encodeURIComponent(id)}`
export const deliveryPath = (id: string) => `/admin/billing/deliveries/${encodeURIComponent(id)}`

/** The name of a customer. Without a name it is the email address, and without an email address the id. */
export const nameOfCustomer = ({ id, name, email }: Pick<Customer, 'id' | 'name' | 'email'>): string => name || email || id

/** A link to the owner of a customer (a user or an organization), or a text that there is no owner. */
export const OwnerLink = ({
  link,
}: {
  readonly link: Pick<NonNullable<Customer['link']>, 'userId' | 'organizationId' | 'name'> | null
}) => {
  const { t } = useI18n()
  const addressOf = useResourceAddress()
  if (link === null) return <Badge tone="warn">{t('billing.unlinked')}</Badge>
  const { userId, organizationId, name } = link
  const [kind, id] = userId === null ? (['organization', organizationId ?? ''] as const) : (['user', userId] as const)
  const address = addressOf(kind, id)
  return (
    <span className="owner">
      <Icon name={kind === 'user' ? 'person' : 'building'} size={16} />
      <span className="visually-hidden">{t(kind === 'user' ? 'billing.aUser' : 'billing.anOrganization')} </span>
      {address === undefined ? (
        <span className="break">{name || id}</span>
      ) : (
        <Link to={address} className="break">
          {name || id}
        </Link>
      )}
    </span>
  )
}

/** A text that names the rule which decided the owner of a customer. */
export const LinkedBy = ({ link }: Pick<Customer, 'link'>) => {
  const { t } = useI18n()
  return link === null ? '–' : <Badge tone="plain">{t(`billing.by.${link.linkedBy}`)}</Badge>
}

export const CustomerLink = ({ id }: { readonly id: string }) => (
  <Link to={customerPath(id)} title={id} className="break">
    <code>{id}</code>
  </Link>
)

/** The address of the list of deliveries about a customer. It is used for a customer about whom no event could be parsed. */
export const deliveriesOf = (id: string) => `/admin/billing/deliveries?${new URLSearchParams({ customerId: id })}`

/** The name of a delivery's customer as a link. If the customer is unknown, the link leads to the list of deliveries about that customer. */
export const DeliveredCustomer = ({ delivery: { customer } }: { readonly delivery: Pick<Delivery, 'customer'> }) => {
  const { t } = useI18n()
  if (customer === null || customer.id === null) return '–'
  if (customer.name !== null) return <Named of={customer} />
  return (
    <span className="named">
      <Link to={deliveriesOf(customer.id)} title={t('billing.customerUnknown')}>
        <code>{shortened(customer.id)}</code>
      </Link>
      <CopyId id={customer.id} name={shortened(customer.id)} />
    </span>
  )
}

const verdicts = ['accepted', 'quarantined', 'removed'] as const
const effects = ['applied', 'superseded', 'ignored'] as const
const tones = { accepted: 'good', quarantined: 'warn', removed: 'plain' } as const

export const VerdictBadge = ({ delivery: { verdict, dismissedAt } }: { readonly delivery: Delivery }) => {
  const { t } = useI18n()
  const known = verdicts.find((one) => one === verdict)
  if (known === undefined) return verdict
  const isDismissed = known === 'quarantined' && dismissedAt !== null
  return (
    <Badge tone={isDismissed ? 'plain' : tones[known]}>{t(isDismissed ? 'billing.dismissed' : `billing.verdict.${known}`)}</Badge>
  )
}

/** Returns a function that describes in words what a delivery changed. */
export const useEffectText = () => {
  const { t } = useI18n()
  return (effect: string | null): string => {
    const known = effects.find((one) => one === effect)
    return known === undefined ? (effect ?? t('billing.effect.none')) : t(`billing.effect.${known}`)
  }
}

export const verdictOptions = verdicts

/** Returns a function that formats an amount of money. Amounts are whole numbers of the currency's smallest unit. */
export const useMoney = () => {
  const { locale } = useI18n()
  return (amount: number, currency: string): string => {
    try {
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency })
      return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
    } catch {
      // The browser does not know the currency, so the amount is not formatted.
      return `${amount} ${currency}`
    }
  }
}
