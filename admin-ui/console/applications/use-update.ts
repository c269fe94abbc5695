import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { useConsole } from '../api.ts'
import { useChange } from '../shared/use-change.ts'
import type { Application } from './parts.tsx'

/**
 * Changes the displayed application, and says `done`. After a change by somebody else the call is refused (412); its repetition is based
 * on that change.
 */
export const useUpdate = (application: Application, done: string) => {
  const { api } = useConsole()
  const update = useChange(applicationContract, 'updateApplication', done)
  return (body: object, reason = '') =>
    update({ params: { clientId: application.clientId }, body, reason, ifMatch: api.etagOf(application) })
}
