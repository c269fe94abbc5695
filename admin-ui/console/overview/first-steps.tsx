import { Link } from 'react-router'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Panel } from '../shared/facts.tsx'
import type { Step } from './use-steps.ts'
import { useSteps } from './use-steps.ts'

const StepLine = ({ step: { id, isDone, path } }: { readonly step: Step }) => {
  const { t } = useI18n()
  const { screens } = useConsole()
  const title = t(`overview.step.${id}`)
  return (
    <li className="finding">
      <span className="finding-state">
        <Badge tone={isDone ? 'good' : 'plain'} {...(isDone ? { icon: 'check' as const } : {})}>
          {t(isDone ? 'overview.step.done' : 'overview.step.open')}
        </Badge>
      </span>
      <div className="finding-text">
        <p>{!isDone && screens.has(path) ? <Link to={path}>{title}</Link> : title}</p>
        {isDone ? null : <p className="finding-remedy">{t(`overview.step.${id}Text`)}</p>}
      </div>
    </li>
  )
}

/** What a new installation needs until somebody signs in to an application; gone once all of it is done. */
export const FirstSteps = () => {
  const { t } = useI18n()
  const steps = useSteps()
  if (steps === undefined) return null
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  return (
    <Panel title={t('overview.steps')} actions={<span>{t('overview.stepsDone', { done, count: steps.length })}</span>}>
      <ol className="findings">
        {steps.map((step) => (
          <StepLine key={step.id} step={step} />
        ))}
      </ol>
    </Panel>
  )
}
