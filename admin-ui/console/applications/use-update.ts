import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { useConsole } from '../api.ts'
import { useChange } from '../shared/use-change.ts'
import type { Application } from './parts.tsx'

/**
 * Returns a function that changes the displayed application and then shows the notification `done`. If somebody else has changed the
 * application meanwhile, the server refuses the call with 412, and the newer state is loaded. A second attempt is then based on that
 * state.
 */
export const useUpdate = (application: Application, done: string) => {
  const { api } = useConsole()
  const update = useChange(applicationContract, 'updateApplication', done)
  return (body: object, reason = '') =>
    update({ params: { clientId: application.clientId }, body, reason, ifMatch: api.etagOf(application) })
}
