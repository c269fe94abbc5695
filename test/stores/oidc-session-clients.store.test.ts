import { partOf } from '../../src/oidc/artifacts/parts.ts'
import { insertArtifacts } from '../../src/oidc/artifacts/store.ts'
import * as sessionClients from '../../src/oidc/session-clients/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)

compareStore(
  'oidc/session-clients/store',
  sessionClients,
  async ({ store, transact, seed, insert }) => {
    await seed('user', 'organization', 'team', 'session', 'oauth_client')
    await insert('user', { id: 'v', email: 'v@example.com' })
    await insert('oauth_client', { id: 'd', client_id: 'd' })
    const part = (sessionUid: string, organizationId: string | null, payload = {}) =>
      partOf({ accountId: 'u', clientId: 'd', payload: { sessionUid, organizationId, ...payload } }, time(50))
    await transact(async (tx) => {
      const rows = [part('s', null), part('s2', 'o'), part('s3', 'o'), part('s4', null)]
      await insertArtifacts(tx, [...rows, part('s5', null), part('s6', null)])
      await insertArtifacts(tx, [part('s3', 'o2')])
      const acting = (name: string) => part(name, null, { impersonation: { by: 'v' } })
      await insertArtifacts(tx, [acting('over')])
      await store.takeImpersonationsBy(tx, 'u')
      await store.takeImpersonationsBy(tx, 'v')
      await insertArtifacts(tx, [acting('over')])
      await store.takeEndedImpersonations(tx, time(-1_000_000), 10)
      await store.takeEndedImpersonations(tx, new Date(at.getTime() + 1e12), 10)
      await store.takeParts(tx, { userId: 'u', sessionId: 's' })
      await store.takeParts(tx, { userId: 'u', sessionId: 's' })
      await store.takeParts(tx, { userId: 'u', organizationId: 'o', exceptSessionId: 's2' })
      await store.takeParts(tx, { userId: 'v' })
      await store.takePartsOfClient(tx, 'd', 1)
      await store.takeParts(tx, { userId: 'u', clientId: 'd' })
      await store.takePartsOfClient(tx, 'd', 1)
    })
  },
  { unordered: ['takeParts', 'takePartsOfClient', 'takeImpersonationsBy', 'takeEndedImpersonations'] },
)
