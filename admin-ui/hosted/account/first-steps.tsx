import { useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { setupStepContract } from '../../../src/setup/contract.ts'
import { createHostedApi } from '../../shared/api.ts'
import { useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { Panel } from './section.tsx'
import '../more.css'

/** Name under which the browser stores that the person has dismissed the steps. */
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
    // If the browser cannot store this, the steps are shown again next time.
  }
}

/**
 * Loads the unfinished setup steps. There are none for people without the permission to read them. It uses an API client of its own, so
 * that loading the steps never opens the dialog for a proof of identity.
 */
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

/** Shows how far the setup of the installation is, with a link to the steps in the console. Only people who may do the steps see it. */
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
