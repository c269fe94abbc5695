import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { useConsole } from '../api.ts'
import { useChange } from '../shared/use-change.ts'
import type { Application } from './parts.tsx'

/** Changes an application as it is shown, and says `done`. Where somebody was faster the call is refused (412), and made again it is based on what they left. */
export const useUpdate = (application: Application, done: string) => {
  const { api } = useConsole()
  const update = useChange(applicationContract, 'updateApplication', done)
  return (body: object, reason = '') =>
    update({ params: { clientId: application.clientId }, body, reason, ifMatch: api.etagOf(application) })
}
