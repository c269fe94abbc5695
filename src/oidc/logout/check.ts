import { type Check, defineFindings } from '../../core/checks.ts'
import type { Core } from '../../core/core.ts'
import type { Clients } from '../clients/service.ts'
import { listUnheard } from './store.ts'

const findings = defineFindings({
  'client-not-told': {
    message:
      'The application {clientId} has not been told of ended sessions since {at}, at {address}: {why}. Notices that wait or were given up: {count}',
    remedy: 'mend the address of the application; {command} shows the notices',
  },
})

/** The largest number of applications that this check reports. */
const most = 20

/** Reports applications that do not accept the logout tokens sent to them. */
export const logoutCheck = ({
  db,
  remedies,
  clients,
}: Pick<Core, 'db' | 'remedies'> & { readonly clients: Pick<Clients, 'find'> }): Check => ({
  name: 'client-logouts',
  texts: findings.texts,
  run: async () => {
    const found = []
    for (const { clientId, since, count, problem } of await listUnheard(db, most)) {
      const address = (await clients.find(clientId))?.metadata.backchannelLogoutUri
      if (address == null) continue
      const values = { clientId, address, at: since.toISOString(), why: problem, count }
      found.push(findings.found('warning', 'client-not-told', { ...values, command: remedies.listLogoutNotices(clientId) }))
    }
    return found
  },
})
