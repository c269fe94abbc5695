import { billingOperationsContract } from '../../../src/billing/administration/contract.ts'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { useI18n } from '../../shared/text.tsx'
import type { ConsoleApi } from '../api.ts'
import { useConsole } from '../api.ts'
import { useBulkRun } from '../shared/bulk.tsx'
import type { BulkRow, Outcome, Work } from '../shared/bulk-run.ts'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { deliveryPath, verdictOptions } from './parts.tsx'

export type DeliveryFilter = Readonly<Record<string, string | undefined>>

const atOnce = 50

/** Replays the deliveries with the given ids. Without ids, it replays all deliveries that match a filter, page by page, oldest first. */
const replayWork =
  (api: ConsoleApi, filter: DeliveryFilter, noType: string): Work<string> =>
  async (rows, { signal, tell, isTried }) => {
    const replay = async (found: readonly BulkRow<string>[]) => {
      if (found.length === 0) return
      const body = { ids: found.map(({ id }) => id) }
      const { deliveries } = await api.call(billingOperationsContract, 'replayDeliveries', { body })
      const results = new Map(deliveries.map((result) => [result.id, result]))
      tell(
        found.flatMap((row): Outcome<string>[] => {
          const result = results.get(row.id)
          if (result === undefined) return []
          const { effect, error } = result
          if (error === null) return [{ row, effect: effect ?? '' }]
          const issues = (error.issues ?? []).map(({ path, message }) => `${path}: ${message}`).join('; ')
          return [{ row, error: issues === '' ? error.message : issues }]
        }),
      )
    }
    for (let left = rows ?? []; left.length > 0 && !signal.aborted; left = left.slice(atOnce)) await replay(left.slice(0, atOnce))
    let after: string | undefined
    for (let isMore = rows === undefined; isMore && !signal.aborted; isMore = after !== undefined) {
      const query = { ...filter, order: 'asc' as const, limit: atOnce, after }
      const { deliveries, next } = await api.call(billingAdminContract, 'deliveries', { query })
      const found = deliveries.filter(({ id, verdict }) => verdict !== 'removed' && !isTried(id))
      await replay(found.map(({ id, type }) => ({ id, name: type ?? noType, href: deliveryPath(id), row: id })))
      after = next ?? undefined
    }
  }

interface BulkReplayProps {
  readonly filter: DeliveryFilter
  readonly onClose: () => void
}

/** Asks for confirmation before it replays all deliveries that match the filter. */
export const BulkReplay = ({ filter, onClose }: BulkReplayProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const start = useBulkRun()
  const verdict = verdictOptions.find((one) => one === filter['verdict'])
  const given = [
    ...(verdict === undefined ? [] : [`${t('billing.verdict')}: ${t(`billing.verdict.${verdict}`)}`]),
    ...(filter['type'] === undefined ? [] : [`${t('billing.type')}: ${filter['type']}`]),
    ...(filter['customerId'] === undefined ? [] : [`${t('billing.customer')}: ${filter['customerId']}`]),
  ]
  const title = t('billing.bulkTitle')
  return (
    <Confirm
      title={title}
      consequences={[
        given.length === 0 ? t('billing.bulkAll') : t('billing.bulkFilter', { filter: given.join(' · ') }),
        t('billing.bulkTwice'),
        t('billing.bulkOldest'),
      ]}
      action={t('billing.bulkStart')}
      isDangerous={false}
      foot={<ShowCall target={billingOperationsContract.replayDeliveries} input={{ body: { ids: ['…'] } }} />}
      onConfirm={async () =>
        start({
          title,
          rows: undefined,
          work: replayWork(api, filter, t('billing.noType')),
          summary: (done) => {
            const applied = done.filter(({ effect }) => effect === 'applied').length
            return `${t('billing.bulkApplied', { count: applied })} ${t('billing.bulkOther', { count: done.length - applied })}`
          },
        })
      }
      onClose={onClose}
    />
  )
}
