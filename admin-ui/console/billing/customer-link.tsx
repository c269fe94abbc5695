import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { billingOperationsContract } from '../../../src/billing/administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { Id } from '../shared/id.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import type { Owner } from './owner-field.tsx'
import { OwnerField } from './owner-field.tsx'
import type { CustomerDetails } from './parts.tsx'
import { LinkedBy, nameOfCustomer, OwnerLink } from './parts.tsx'
import { useReason } from './why.ts'

interface OfCustomer {
  readonly details: CustomerDetails
}

interface DialogProps extends OfCustomer {
  /** ETag of the customer's link to its owner, on which the change is based. */
  readonly ifMatch: string | undefined
  readonly onClose: () => void
}

/** A sentence that names the entitlements which a new owner of the customer would get. */
const useComes = ({ state }: CustomerDetails): string => {
  const { t, list } = useI18n()
  const names = state.entitlements.map(({ name }) => name)
  return names.length === 0
    ? t('billing.linkNothing')
    : t('billing.linkEntitlements', { count: names.length, names: list(names) })
}

const LinkDialog = ({ details, ifMatch, onClose }: DialogProps) => {
  const { t } = useI18n()
  const { customer } = details
  const [owner, setOwner] = useState<Owner>()
  const link = useChange(billingOperationsContract, 'linkCustomer', t('billing.linkDone'))
  const comes = useComes(details)
  const params = { id: customer.id }
  const body = owner?.kind === 'organization' ? { organizationId: owner.id } : { userId: owner?.id ?? '' }
  return (
    <Confirm
      title={t('billing.linkOf', { name: nameOfCustomer(customer) })}
      consequences={[
        ...(customer.link === null ? [] : [t('billing.linkFrom', { owner: customer.link.name })]),
        comes,
        t('billing.linkStays'),
      ]}
      action={t('billing.link')}
      isDangerous={customer.link !== null}
      reason="optional"
      blocked={owner === undefined ? t('billing.chooseOwner') : undefined}
      foot={
        <ShowCall
          target={billingOperationsContract.linkCustomer}
          input={{ params, body }}
          command={['link-customer', customer.id, owner?.kind === 'organization' ? '--org' : '--user', owner?.id ?? '…']}
        />
      }
      onConfirm={(reason, _form, isOverwriting) => link({ params, body, reason, ifMatch: isOverwriting ? undefined : ifMatch })}
      onClose={onClose}
    >
      <OwnerField chosen={owner} onChoose={setOwner} />
    </Confirm>
  )
}

const UnlinkDialog = ({ details: { customer }, ifMatch, onClose }: DialogProps) => {
  const { t } = useI18n()
  const unlink = useChange(billingOperationsContract, 'unlinkCustomer', t('billing.unlinkDone'))
  const input = { params: { id: customer.id } }
  return (
    <Confirm
      title={t('billing.unlinkOf', { name: nameOfCustomer(customer) })}
      consequences={[
        ...(customer.link === null ? [] : [t('billing.linkFrom', { owner: customer.link.name })]),
        t('billing.unlinkNow'),
      ]}
      action={t('billing.unlink')}
      reason="optional"
      foot={<ShowCall target={billingOperationsContract.unlinkCustomer} input={input} />}
      onConfirm={(reason, _form, isOverwriting) => unlink({ ...input, reason, ifMatch: isOverwriting ? undefined : ifMatch })}
      onClose={onClose}
    />
  )
}

const dialogs = { link: LinkDialog, unlink: UnlinkDialog } as const

/** The owner of a customer and the rule that decided it, with buttons to choose another owner by hand. */
export const CustomerOwner = ({ details }: OfCustomer) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { customer } = details
  const { link, externalId } = customer
  const [open, setOpen] = useState<keyof typeof dialogs>()
  const { data: current } = useQuery(api.query(billingOperationsContract, 'customerLink', { params: { id: customer.id } }))
  const reason = useReason()
  const blocked =
    link === null ? t('billing.unlinkNobody') : link.linkedBy === 'operator' ? undefined : t('billing.unlinkOnlyOperator')
  const Dialog = open === undefined ? undefined : dialogs[open]
  return (
    <Panel
      title={t('billing.whose')}
      actions={
        <>
          <ActionButton permission="customers:update" icon="link" onClick={() => setOpen('link')}>
            {t(link === null ? 'billing.link' : 'billing.linkOther')}
          </ActionButton>
          <ActionButton permission="customers:update" blocked={blocked} onClick={() => setOpen('unlink')}>
            {t('billing.unlink')}
          </ActionButton>
        </>
      }
    >
      <Facts
        rows={[
          [t('billing.whose'), <OwnerLink key="owner" link={link} />],
          [
            t('billing.why'),
            <span key="why" className="line-text">
              <span>
                <LinkedBy link={link} />
              </span>
              <span className="who-detail">{reason(customer)}</span>
            </span>,
          ],
          [t('billing.linkedAt'), link === null ? undefined : <Time key="at" at={link.linkedAt} exact />],
          [t('billing.externalId'), externalId === null ? undefined : <Id key="external" id={externalId} />],
        ]}
      />
      {Dialog === undefined ? null : (
        <Dialog
          details={details}
          ifMatch={current === undefined ? undefined : api.etagOf(current)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Panel>
  )
}
