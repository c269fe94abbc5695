import type { z } from 'zod'
import type { Principal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Setting } from '../core/settings.ts'
import type { SetupStep } from '../core/setup-steps.ts'
import { type SetupStep as StepView, setupErrors, setupEvents } from './contract.ts'
import * as store from './store.ts'

type View = z.output<typeof StepView>

/** The steps that lead from an empty instance to an instance in which people can sign in. */
export interface SetupSteps {
  /** Returns all steps. The state of each step that is not dismissed is checked. */
  list(): Promise<readonly View[]>
  /** Dismisses a step, or shows it again. Throws SETUP_STEP_NOT_FOUND. */
  update(principal: Principal, name: string, change: { readonly isDismissed: boolean }): Promise<View>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'events'> {
  readonly settings: () => readonly Setting[]
  /** Returns the steps that features have registered. */
  readonly setupSteps: () => readonly SetupStep[]
}

export const createSetupSteps = ({ db, transact, clock, events, settings, setupSteps }: Deps): SetupSteps => {
  /** The file, environment variable or option that overrides one of these settings. Undefined if none does. */
  const lockOf = (keys: readonly string[]) =>
    settings().find(({ key, isSet, source }) => keys.includes(key) && isSet && source !== 'default')?.from ?? null
  const look = async ({ name, keys, look }: SetupStep): Promise<View> => {
    const { isDone, subject = null } = await look()
    const lockedBy = isDone ? null : lockOf(keys)
    return { name, state: isDone ? 'done' : lockedBy === null ? 'open' : 'locked', lockedBy, subject }
  }
  const dismissed = (name: string): View => ({ name, state: 'dismissed', lockedBy: null, subject: null })
  return {
    list: async () => {
      const unwanted = await store.listDismissed(db)
      const found: View[] = []
      for (const step of setupSteps()) found.push(unwanted.has(step.name) ? dismissed(step.name) : await look(step))
      return found
    },
    update: async (principal, name, { isDismissed }) => {
      const step = setupSteps().find((one) => one.name === name)
      if (step === undefined) throw setupErrors.error('SETUP_STEP_NOT_FOUND')
      await transact(async (tx) => {
        const isChanged = isDismissed ? await store.insertDismissal(tx, name, clock.now()) : await store.deleteDismissal(tx, name)
        if (isChanged)
          await events.record(tx, principal, setupEvents['instance.setup_step_updated'], {
            subject: 'instance',
            data: { step: name, isDismissed },
          })
      })
      return isDismissed ? dismissed(name) : look(step)
    },
  }
}
