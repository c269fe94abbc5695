import { personalDataContract } from '../../../src/identity/personal-data/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { OutcomeNotice, useAction, useOutcome } from './outcome.tsx'
import { Panel } from './section.tsx'

/** Lets the browser save a file that is in memory. */
const save = (name: string, value: unknown) => {
  const address = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

/** A panel to download all data that the server stores about the account. */
export const DataPanel = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const outcome = useOutcome()
  const action = useAction(outcome)
  return (
    <Panel id="data" title={t('data.title')}>
      <p className="quiet panel-lead">{t('data.lead')}</p>
      <Button
        kind="secondary"
        working={action.busy !== undefined}
        onClick={() =>
          action.run(
            'data',
            async () => save('gatehouse-data.json', await api.of(personalDataContract).downloadUserData()),
            t('data.done'),
          )
        }
      >
        {t('data.submit')}
      </Button>
      <OutcomeNotice of={outcome} />
    </Panel>
  )
}
