import { systemPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Retention } from '../../core/retention.ts'
import type { Applications } from '../clients/applications.ts'
import * as clientStore from '../clients/store.ts'
import type { OidcConfig } from '../config.ts'

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random'> {
  readonly config: Pick<OidcConfig, 'registrationUnusedSeconds'>
  readonly applications: Pick<Applications, 'removeAsClient'>
}

const batch = 100

/**
 * Deletes unused clients a day after their registration. A client is unused if its registrant is unknown, nobody has signed in to it, and
 * no administrator has reviewed it.
 */
export const createUnusedClients = ({ db, transact, clock, random, config, applications }: Deps): Retention => {
  const before = () => clock.after(-config.registrationUnusedSeconds)

  /**
   * If a person consents at this moment, either the consent is stored first and the client stays, or the client is deleted first and
   * nobody can consent.
   */
  const remove = (clientId: string): Promise<boolean> =>
    transact(async (tx) => {
      const row = await clientStore.lockClient(tx, clientId)
      if (row === undefined || !(await clientStore.isUnused(tx, row.id, before()))) return false
      await applications.removeAsClient(tx, { ...systemPrincipal(random.requestId()), actorId: 'unused-clients' }, row)
      return true
    })

  return {
    name: 'applications',
    which: 'of strangers that nobody has signed in to',
    count: () => clientStore.countUnused(db, before()),
    sweep: async (stop) => {
      let total = 0
      for (;;) {
        const found = await clientStore.listUnused(db, before(), batch)
        for (const clientId of found) if (stop?.aborted !== true && (await remove(clientId))) total += 1
        if (found.length < batch || stop?.aborted === true) return total
      }
    },
  }
}
