import { useState } from 'react'
import { recoveryContract } from '../../../src/authentication/second-factor-recovery/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import type { FormProblem } from '../../shared/error-messages.ts'
import { errorMessages } from '../../shared/error-messages.ts'
import { Icon } from '../../shared/icons.tsx'
import { useLoader } from '../../shared/loading.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { useAccount } from './context.ts'

const Banner = () => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t, dateTime } = i18n
  const wait = useLoader(() => api.of(recoveryContract).secondFactorRecovery())
  const [isStopping, setStopping] = useState(false)
  const [isStopped, setStopped] = useState(false)
  const [problem, setProblem] = useState<FormProblem>()
  const stop = async () => {
    setStopping(true)
    setProblem(undefined)
    try {
      await api.of(recoveryContract).cancelSecondFactorRecovery({ body: {} })
      setStopped(true)
    } catch (error) {
      // The recovery was already stopped elsewhere, which is what the person wanted.
      if (error instanceof ApiError && error.code === 'SECOND_FACTOR_RECOVERY_NOT_FOUND') setStopped(true)
      else setProblem(errorMessages(error, [], api.retryAfterSeconds(), i18n).form)
    }
    setStopping(false)
  }
  if (wait.value === undefined) return null
  const { state, readyAt, expiresAt } = wait.value
  if (state !== 'waiting' && state !== 'ready') return null
  const date = <strong>{dateTime((state === 'waiting' ? readyAt : expiresAt) ?? '')}</strong>
  return (
    <section className="due" aria-label={t('running.title')}>
      <Icon name={isStopped ? 'check' : 'alert'} />
      <p role="status">
        {isStopped ? t('running.stopped') : <Text id={`running.${state}`} values={{ date }} />}
        {problem === undefined ? null : ` ${problem.text}`}
      </p>
      {isStopped ? null : (
        <Button working={isStopping} onClick={() => void stop()}>
          {t('running.stop')}
        </Button>
      )}
    </section>
  )
}

/** A notice in every section, shown while somebody waits to have the account's second factors removed. A button stops the recovery. */
export const RecoveryWait = () => (useAccount().secondFactors.value?.isEnabled === true ? <Banner /> : null)
