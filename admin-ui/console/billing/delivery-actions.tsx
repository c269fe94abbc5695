import { useState } from 'react'
import { billingOperationsContract } from '../../../src/billing/administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { useProblem } from '../shared/failure.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import { useNotify } from '../shared/use-notify.ts'
import { useRefresh } from '../shared/use-refresh.ts'
import { useUndo } from '../shared/use-undo.tsx'
import type { Delivery } from './parts.tsx'

interface OfDelivery {
  readonly delivery: Delivery
}

/** A button that parses and applies a delivery again. Applying a delivery twice is harmless, so the button asks for no confirmation. */
const Replay = ({ delivery: { id, verdict } }: OfDelivery) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const refresh = useRefresh()
  const notify = useNotify()
  const problem = useProblem()
  const [isWorking, setIsWorking] = useState(false)
  const input = { params: { id }, body: {} }
  const replay = async () => {
    setIsWorking(true)
    try {
      const { effect } = await api.call(billingOperationsContract, 'replayDelivery', input)
      notify(t(`billing.replayed.${effect}`))
    } catch (error) {
      notify(problem(error), 'bad')
    }
    // A delivery that still cannot be parsed stays quarantined, and the refreshed page shows the reason.
    await refresh()
    setIsWorking(false)
  }
  return (
    <ActionButton
      permission="deliveries:update"
      icon="refresh"
      blocked={verdict === 'removed' ? t('billing.replayRemoved') : undefined}
      working={isWorking}
      onClick={() => void replay()}
    >
      {t('billing.replay')}
    </ActionButton>
  )
}

const Dismiss = ({ delivery: { id, type, verdict, dismissedAt } }: OfDelivery) => {
  const { t } = useI18n()
  const undo = useUndo()
  const dismiss = useChange(billingOperationsContract, 'dismissDelivery')
  const other = dismissedAt === null ? undefined : t('billing.dismissAlready')
  return (
    <ActionButton
      permission="deliveries:update"
      icon="close"
      blocked={verdict === 'quarantined' ? other : t('billing.dismissOnly')}
      onClick={() => undo(t('billing.dismissing', { type: type ?? id }), () => dismiss({ params: { id }, body: {} }))}
    >
      {t('billing.dismiss')}
    </ActionButton>
  )
}

/** The buttons for the actions on a delivery. */
export const DeliveryActions = ({ delivery }: OfDelivery) => (
  <>
    <Replay delivery={delivery} />
    <Dismiss delivery={delivery} />
    <ShowCall
      target={billingOperationsContract.replayDelivery}
      input={{ params: { id: delivery.id }, body: {} }}
      command={['replay-delivery', delivery.id]}
    />
  </>
)
