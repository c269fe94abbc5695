import { useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { setupStepContract } from '../../../src/setup/contract.ts'
import { createHostedApi } from '../../shared/api.ts'
import { useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { Panel } from './section.tsx'
import '../more.css'

/** Kept in this browser alone: the person does not want to see the steps again. */
const dismissedKey = 'gatehouse.first-steps'

const isDismissed = () => {
  try {
    return localStorage.getItem(dismissedKey) !== null
  } catch {
    return false
  }
}

const dismiss = () => {
  try {
    localStorage.setItem(dismissedKey, 'dismissed')
  } catch {
    // Then they are there again the next time.
  }
}

/** The steps that are wanted; none where the person may not read them. A client of its own: nobody is asked for a proof because of what is only shown. */
const loadSteps = async () => {
  const { steps } = await createHostedApi()
    .of(setupStepContract)
    .listSetupSteps()
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return { steps: [] }
      throw error
    })
  return steps.filter(({ state }) => state !== 'dismissed')
}

/** How far the set-up is, and the way to the console, where its steps are done; for who may do them, until they are done or not wanted. */
export const FirstSteps = () => {
  const { t } = useI18n()
  const [isHidden, setHidden] = useState(isDismissed)
  const loaded = useLoader(() => (isHidden ? Promise.resolve([]) : loadSteps()))
  const steps = loaded.value ?? []
  const done = steps.filter(({ state }) => state === 'done').length
  if (isHidden || done === steps.length) return null
  return (
    <Panel id="first-steps" title={t('firstSteps.title')}>
      <p className="quiet panel-lead">{t('firstSteps.lead', { done, count: steps.length })}</p>
      <div className="rows-foot">
        <LinkButton href="/admin">{t('firstSteps.open')}</LinkButton>
        <Button
          kind="quiet"
          onClick={() => {
            dismiss()
            setHidden(true)
          }}
        >
          {t('firstSteps.dismiss')}
        </Button>
      </div>
    </Panel>
  )
}
