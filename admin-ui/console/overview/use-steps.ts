import { useQuery } from '@tanstack/react-query'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { setupStepContract } from '../../../src/setup/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useConsole, usePermission } from '../api.ts'
import { newApplicationPath, testSignInPath } from '../applications/paths.ts'
import { newUserPath } from '../people/paths.ts'

const names = ['brand', 'mail', 'application', 'test-sign-in', 'colleague', 'second-factor', 'backup'] as const
type Name = (typeof names)[number]

type WireStep = Answer<WireApi<typeof setupStepContract>['listSetupSteps']>['steps'][number]

/** A step of setting up a new installation. */
export interface Step extends WireStep {
  readonly name: Name
}

interface Place {
  readonly permission: InstancePermission
  /** Returns the address of the screen on which the step is completed. Undefined if another step has to be done first. */
  readonly pathOf: (step: WireStep) => string | undefined
}

/** The screen of each step, and the permission that the screen needs. */
export const places: Readonly<Record<Name, Place>> = {
  brand: { permission: 'settings:update', pathOf: () => '/admin/brand' },
  mail: { permission: 'settings:read', pathOf: () => '/admin/mails/server' },
  application: { permission: 'clients:create', pathOf: () => newApplicationPath },
  'test-sign-in': {
    permission: 'clients:update',
    pathOf: ({ subject }) => (subject === null ? undefined : testSignInPath(subject)),
  },
  colleague: { permission: 'users:create', pathOf: () => newUserPath },
  'second-factor': { permission: 'settings:read', pathOf: () => '/admin/ways-in#secondFactor.requiredFor' },
  backup: { permission: 'backups:create', pathOf: () => '/admin/backups' },
}

/** The setup steps in the recommended order. Undefined until the server has answered, and for people without the permission to read settings. */
export const useSteps = (): readonly Step[] | undefined => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('settings:read')
  const { data } = useQuery({ ...api.query(setupStepContract, 'listSetupSteps'), enabled: isAllowed })
  return (
    data &&
    names.flatMap((name) => {
      const step = data.steps.find((one) => one.name === name)
      return step === undefined ? [] : { ...step, name }
    })
  )
}
