import { billingOperationsContract } from '../../../src/billing/administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { BulkBar } from '../shared/bulk.tsx'
import type { BulkProps } from '../shared/table-bar.tsx'
import type { Delivery } from './parts.tsx'

/** The actions on the selected deliveries of the list. */
export const DeliveryBulk = (bulk: BulkProps<Delivery>) => {
  const { t } = useI18n()
  return (
    <BulkBar
      {...bulk}
      actions={[
        {
          label: t('billing.replay'),
          icon: 'refresh',
          permission: 'deliveries:update',
          endpoint: billingOperationsContract.replayDelivery,
          input: ({ id }) => ({ params: { id }, body: {} }),
          command: ({ id }) => ['replay-delivery', id],
          blocked: ({ verdict }) => (verdict === 'removed' ? t('billing.replayRemoved') : undefined),
          consequences: [t('billing.bulkTwice')],
        },
        {
          label: t('billing.dismiss'),
          icon: 'close',
          permission: 'deliveries:update',
          endpoint: billingOperationsContract.dismissDelivery,
          input: ({ id }) => ({ params: { id }, body: {} }),
          blocked: ({ verdict, dismissedAt }) =>
            verdict === 'quarantined'
              ? dismissedAt === null
                ? undefined
                : t('billing.dismissAlready')
              : t('billing.dismissOnly'),
          consequences: [t('lists.dismiss')],
        },
      ]}
    />
  )
}
