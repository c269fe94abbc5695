import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { useConsole } from '../api.ts'
import { useChange } from '../shared/use-change.ts'
import type { Application } from './parts.tsx'

/**
 * Changes the displayed application, and then shows the notification `done`. If somebody else has changed the application, the call is
 * refused (412). The second attempt is based on the other person's change.
 */
export const useUpdate = (application: Application, done: string) => {
  const { api } = useConsole()
  const update = useChange(applicationContract, 'updateApplication', done)
  return (body: object, reason = '') =>
    update({ params: { clientId: application.clientId }, body, reason, ifMatch: api.etagOf(application) })
}
