import { useState } from 'react'
import { providerAdministrationContract } from '../../../src/authentication/methods/federated/administration/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Notice } from '../../shared/ui.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import { Panel } from '../shared/facts.tsx'
import { useProblem } from '../shared/failure.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'

type Result = Answer<WireApi<typeof providerAdministrationContract>['adminTestProvider']>

const tones = { passed: 'good', doubtful: 'warn', failed: 'bad', skipped: 'plain' } as const

const Steps = ({ result: { steps, hasPassed, testedAt } }: { readonly result: Result }) => {
  const { t } = useI18n()
  return (
    <>
      <p className="panel-note" role="status">
        {t(hasPassed ? 'ways.testPassed' : 'ways.testFailed')} · <Time at={testedAt} />
      </p>
      <ol className="findings test-steps">
        {steps.map(({ step, outcome, message, remedy, milliseconds }) => (
          <li key={step} className="finding">
            <span className="finding-state">
              <Badge tone={tones[outcome]}>{t(`ways.outcome.${outcome}`)}</Badge>
            </span>
            <div className="finding-text">
              <p className="test-step">{t(`ways.step.${step}`)}</p>
              <p className="break">{message}</p>
              {remedy === null ? null : (
                <p className="finding-remedy break">
                  {t('console.finding.remedy')} <span lang="en">{remedy}</span>
                </p>
              )}
            </div>
            {milliseconds === 0 ? null : <span className="line-end">{t('ways.milliseconds', { count: milliseconds })}</span>}
          </li>
        ))}
      </ol>
    </>
  )
}

/** Tests an identity provider. The server makes the calls of a sign-in that need no person, and the panel shows the result of each. */
export const ProviderTestPanel = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  const test = useChange(providerAdministrationContract, 'adminTestProvider')
  const problemOf = useProblem()
  const [result, setResult] = useState<Result>()
  const [problem, setProblem] = useState<string>()
  const [isWorking, setIsWorking] = useState(false)
  const input = { params: { id } }
  const start = async () => {
    setIsWorking(true)
    setProblem(undefined)
    try {
      setResult(await test(input))
    } catch (error) {
      setProblem(problemOf(error))
    }
    setIsWorking(false)
  }
  return (
    <Panel
      title={t('ways.test')}
      actions={
        <>
          <ShowCall target={providerAdministrationContract.adminTestProvider} input={{ ...input, body: {} }} />
          <ActionButton permission="providers:test" kind="primary" working={isWorking} onClick={() => void start()}>
            {t('ways.testNow')}
          </ActionButton>
        </>
      }
    >
      {problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}
      {result === undefined ? <p className="panel-note">{t('ways.testText')}</p> : <Steps result={result} />}
    </Panel>
  )
}
