import type { Attempts } from '../authentication/attempts/index.ts'
import type { SignUp } from '../authentication/methods/password/index.ts'
import type { OneTimeValues } from '../authentication/verification/index.ts'
import { defineFindings } from '../core/checks.ts'
import { type Base, defineFeature } from '../feature.ts'
import { bind, documented } from '../http/handlers.ts'
import type { Users } from '../identity/users/index.ts'
import { setupCommands } from './cli.ts'
import { setupContract, setupErrors, setupEvents, setupStepContract, setupStepDocumentation } from './contract.ts'
import { createSetup, type Setup } from './service.ts'
import { createSetupSteps, type SetupSteps } from './steps.ts'

const setupRoutes = (setup: Setup) =>
  bind(setupContract, {
    check: (_principal, { body }) => setup.check(body.token),
    complete: async (principal, { body, cookies }) => {
      const { user, started } = await setup.complete(principal, body)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      return { token: started?.token ?? null, user }
    },
  })

const stepRoutes = (steps: SetupSteps) =>
  bind(documented(setupStepContract, setupStepDocumentation), {
    listSetupSteps: async () => ({ steps: [...(await steps.list())] }),
    updateSetupStep: (principal, { params, body }) => steps.update(principal, params.name, body),
  })

export type { Setup, SetupSteps }

interface Needs {
  readonly users: Users
  readonly accounts: SignUp
  readonly attempts: Attempts
  readonly oneTimeValues: OneTimeValues
}

const findings = defineFindings({
  'no-administrator': {
    message: 'There is no administrator',
    remedy: '{command}',
  },
})

export const setupFeature = defineFeature({
  name: 'setup',
  errors: setupErrors.table,
  events: setupEvents,
  commands: [setupCommands],
  build: (base: Base, _config: object, needs: Needs) => {
    const setup = createSetup({ ...base, ...needs })
    const setupSteps = createSetupSteps(base)
    return {
      api: { setup, setupSteps },
      routes: [...setupRoutes(setup), ...stepRoutes(setupSteps)],
      checks: [
        {
          name: 'administrator',
          texts: findings.texts,
          run: async () => {
            if (await setup.hasAdministrator()) return []
            return [findings.found('warning', 'no-administrator', { command: base.remedies.createSetupLink() })]
          },
        },
      ],
    }
  },
})
