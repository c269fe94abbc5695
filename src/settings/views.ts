import type { z } from 'zod'
import type { Setting } from '../core/settings.ts'
import type { DescribedChange } from './difference.ts'
import type { TrialResult } from './plan.ts'
import type { ChangeResult } from './service.ts'

type Json = z.core.util.JSONType

export const settingView = ({ value, default: fallback, options, stored, ...one }: Setting) => ({
  ...one,
  ...{ value: value as Json, default: fallback as Json, options: options === null ? null : [...options] },
  stored: stored === null ? null : { ...stored, value: stored.value as Json },
})

export const changeView = (change: DescribedChange) => ({
  ...change,
  ...{ before: change.before as Json, after: change.after as Json },
})

export const trialView = (trial: TrialResult) => ({ ...trial, steps: trial.steps.map((step) => ({ ...step })) })

export const resultView = ({ changes, trials, ...result }: ChangeResult) => ({
  ...result,
  ...{ changes: changes.map(changeView), trials: trials.map(trialView) },
})
