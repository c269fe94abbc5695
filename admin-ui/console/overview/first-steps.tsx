import { useState } from 'react'
import { Link } from 'react-router'
import { setupStepContract } from '../../../src/setup/contract.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import { Panel } from '../shared/facts.tsx'
import { useChange } from '../shared/use-change.ts'
import type { Step } from './use-steps.ts'
import { places, useSteps } from './use-steps.ts'
import './first-steps.css'

const StepState = ({ state }: Pick<Step, 'state'>) => {
  const { t } = useI18n()
  if (state === 'done')
    return (
      <Badge tone="good" icon="check">
        {t('overview.step.done')}
      </Badge>
    )
  if (state === 'locked')
    return (
      <Badge tone="plain" icon="lock">
        {t('overview.step.locked')}
      </Badge>
    )
  return <Badge tone={state === 'open' ? 'new' : 'plain'}>{t(`overview.step.${state}`)}</Badge>
}

/** A link to the screen on which the person can complete an unfinished setup step. */
const StepLink = ({ step, isNext }: { readonly step: Step; readonly isNext: boolean }) => {
  const { t } = useI18n()
  const { permission, pathOf } = places[step.name]
  const { isAllowed } = usePermission(permission)
  const path = pathOf(step)
  if (step.state !== 'open' || path === undefined || !isAllowed) return null
  return (
    <Link className={`button button-${isNext ? 'primary' : 'secondary'}`} to={path}>
      {t(`overview.step.${step.name}Do`)}
    </Link>
  )
}

const StepLine = ({ step, isNext }: { readonly step: Step; readonly isNext: boolean }) => {
  const { t } = useI18n()
  const { isAllowed } = usePermission('settings:update')
  const update = useChange(setupStepContract, 'updateSetupStep')
  const { name, state, lockedBy, subject } = step
  const isOver = state === 'done' || state === 'dismissed'
  const turn = () => void update({ params: { name }, body: { isDismissed: state !== 'dismissed' } })
  const title = t(`overview.step.${name}`)
  return (
    <li className={`setup-step setup-step-${state}`}>
      <span className="setup-step-state">
        <StepState state={state} />
      </span>
      <div className="setup-step-text">
        <p className="setup-step-title">{title}</p>
        {isOver ? null : (
          <p className="setup-step-detail">
            {lockedBy === null ? t(`overview.step.${name}Text`) : t('overview.step.lockedText', { place: lockedBy })}
            {name === 'test-sign-in' && subject === null ? ` ${t('overview.step.test-sign-inFirst')}` : null}
          </p>
        )}
      </div>
      <span className="setup-step-actions">
        <StepLink step={step} isNext={isNext} />
        {state === 'done' || !isAllowed ? null : (
          <Button
            kind="quiet"
            name={t(state === 'dismissed' ? 'overview.step.wantOf' : 'overview.step.dismissOf', { step: title })}
            onClick={turn}
          >
            {t(state === 'dismissed' ? 'overview.step.want' : 'overview.step.dismiss')}
          </Button>
        )}
      </span>
    </li>
  )
}

/** The steps that set up a new installation. The panel disappears when every step is done or dismissed. */
export const FirstSteps = () => {
  const { t } = useI18n()
  const { site } = useConsole()
  const steps = useSteps()
  const [isAll, setAll] = useState(false)
  if (steps === undefined) return null
  const wanted = steps.filter(({ state }) => state !== 'dismissed')
  const done = wanted.filter(({ state }) => state === 'done').length
  if (done === wanted.length) return null
  const next = wanted.find((step) => step.state === 'open' && places[step.name].pathOf(step) !== undefined)
  const dismissed = steps.length - wanted.length
  return (
    <Panel title={t('overview.steps', { site })} actions={<span>{t('overview.stepsDone', { done, count: wanted.length })}</span>}>
      <progress
        className="setup-progress"
        aria-label={t('overview.stepsDone', { done, count: wanted.length })}
        value={done}
        max={wanted.length}
      />
      <ol className="setup-steps">
        {(isAll ? steps : wanted).map((step) => (
          <StepLine key={step.name} step={step} isNext={step === next} />
        ))}
      </ol>
      {dismissed === 0 ? null : (
        <div className="panel-foot">
          <Button kind="quiet" onClick={() => setAll(!isAll)}>
            <Icon name={isAll ? 'up' : 'down'} size={16} />
            {isAll ? t('overview.step.hideDismissed') : t('overview.step.showDismissed', { count: dismissed })}
          </Button>
        </div>
      )}
    </Panel>
  )
}
