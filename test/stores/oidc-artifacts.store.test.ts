import * as artifacts from '../../src/oidc/artifacts/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const artifact = (id: string, changes: Partial<artifacts.ArtifactRow> = {}): artifacts.ArtifactRow => ({
  ...{
    id,
    kind: 'AccessToken',
    accountId: 'u',
    clientId: 'c',
    sessionId: null,
    grantId: null,
    payload: { id },
    consumedAt: null,
  },
  ...{ rotatedFrom: null, siblingOf: null, exchangedFrom: null, impersonatorId: null, expiresAt: time(10), ...changes },
})
const seconds = 1_700_000_000
const held = (id: string, payload: artifacts.Payload, changes: Partial<artifacts.ArtifactRow> = {}) =>
  artifact(id, { payload, grantId: 'held', ...changes })

compareStore(
  'oidc/artifacts/store',
  artifacts,
  async ({ store, db, transact, seed, insert, own, sweep, note }) => {
    await seed('user', 'organization', 'team', 'session', 'oauth_client')
    await insert('user', { id: 'v', email: 'v@example.com', banned_at: at, ban_expires_at: time(1), image: 'x', username: 'vee' })
    await insert('oauth_client', { id: 'd', client_id: 'd' })
    const remaining = async () => note('deleteArtifacts', await db.knex('oidc_artifact').orderBy('id').pluck('id'))

    await transact(async (tx) => {
      await store.insertArtifacts(tx, [])
      await store.insertArtifacts(tx, [artifact('a', { payload: { größe: [1, null, '"\\'], big: Number.MAX_SAFE_INTEGER } })])
      await store.insertArtifacts(tx, [
        artifact('b', { accountId: null, clientId: null, kind: 'Interaction', consumedAt: time(1), sessionId: 's' }),
        artifact('A', { accountId: 'v', grantId: 'g', rotatedFrom: 'x', siblingOf: 'y' }),
      ])
    })
    await store.findArtifacts(db, [])
    await store.findArtifacts(db, ['a', 'b', 'A', 'unknown'])
    await store.findArtifacts(
      db,
      Array.from({ length: 65 }, (_, i) => (i === 40 ? 'b' : `${i}`)),
    )
    await store.findArtifact(db, 'A')
    await store.findArtifact(db, 'unknown')
    await transact(async (tx) => {
      await store.claimOnce(tx, 'once', time(2))
      await store.claimOnce(tx, 'once', time(3))
      await store.consumeArtifacts(tx, [], time(2))
      await store.consumeArtifacts(tx, ['a'], time(2))
      await store.insertArtifacts(tx, [artifact('x'), artifact('X')])
      await store.consumeArtifacts(tx, ['x', 'b', 'a', 'A', 'X'], time(3))
      await store.exchangeArtifacts(
        tx,
        [
          { consumes: 'b', inserts: [artifact('used before')] },
          { consumes: 'unknown', inserts: [artifact('of none')] },
          { consumes: null, inserts: [artifact('for nothing', { accountId: 'v', sessionId: 's', payload: { größe: '"\\' } })] },
        ],
        time(3),
      )
      await store.insertArtifacts(tx, [artifact('fresh', { accountId: 'v' }), artifact('fresh too', { accountId: 'v' })])
      await store.exchangeArtifacts(
        tx,
        [
          {
            consumes: 'fresh',
            inserts: [artifact('first', { accountId: 'v', rotatedFrom: 'fresh' }), artifact('second', { accountId: 'v' })],
          },
          { consumes: 'fresh too', inserts: [] },
        ],
        time(3),
      )
      await store.lockArtifact(tx, 'A')
      await store.lockArtifact(tx, 'unknown')
      await store.updatePayload(tx, 'A', { changed: true })
      await store.updatePayload(tx, 'unknown', {})
      await store.closeArtifact(tx, 'b', { done: 'ü' }, time(4))
      await store.closeArtifact(tx, 'unknown', {}, time(4))
    })
    await store.findArtifacts(db, ['a', 'b', 'A'])
    await transact(async (tx) => {
      await store.deleteArtifacts(tx, [])
      await store.deleteArtifacts(tx, ['a', 'b', 'x', 'X', 'unknown'])
      await store.deleteArtifacts(tx, ['A'])
    })
    await remaining()

    await transact(async (tx) => {
      const part = (sessionUid: string) => artifact(`part of ${sessionUid}`, { kind: 'SessionClient', payload: { sessionUid } })
      await store.insertArtifacts(tx, [part('s'), part('over')])
      await store.deletePartsOfEnded(tx, [])
      await store.deletePartsOfEnded(tx, ['part of s', 'part of over', 'unknown'])
      await store.deleteArtifacts(tx, ['part of s'])
    })

    const code = { id: 'code', accountId: 'u', clientId: 'c' }
    await transact(async (tx) => {
      await store.insertArtifacts(tx, [artifact('code', { kind: 'AuthorizationCode' }), artifact('no code')])
      await store.takeCode(tx, { ...code, id: 'no code' }, at)
      await store.takeCode(tx, { ...code, clientId: 'd' }, at)
      await store.takeCode(tx, code, time(10))
      await store.takeCode(tx, code, at)
      await store.takeCode(tx, code, at)
      await store.deleteArtifacts(tx, ['no code'])

      const used = artifact('1', { kind: 'RefreshToken', grantId: 'g' })
      const next = { kind: 'RefreshToken', grantId: 'g', rotatedFrom: '1' }
      await store.insertArtifacts(tx, [
        used,
        artifact('2', next),
        artifact('3', { ...next, siblingOf: '2' }),
        artifact('4', next),
      ])
      await store.lockRotation(tx, '1', ['4'])
      await store.lockRotation(tx, '2', [])
      await store.lockRotation(tx, 'unknown', [])
      await store.makeSibling(tx, '4', { ...used, id: '2', expiresAt: time(5) })
      await store.makeSibling(tx, 'unknown', used)
      await store.lockRotation(tx, '1', [])
      await store.findArtifact(tx, '4')
      await store.deleteGrants(tx, [])
      await store.deleteGrants(tx, ['g', 'unknown'])
      await store.deleteGrants(tx, ['g'])
    })

    await transact((tx) =>
      store.insertArtifacts(tx, [
        held('1', { organizationId: 'o', scope: 'openid', iat: seconds, iiat: seconds - 5 }),
        held('2', { organizationId: 'o', scope: 'openid', iat: seconds + 9 }, { kind: 'RefreshToken' }),
        held('3', { scope: 'openid', iat: 4_000_000_000 }),
        held('4', { organizationId: null, scope: 'openid', iat: 4_000_000_001 }, { kind: 'AuthorizationCode' }),
        held('5', { iat: seconds + 1, through: 'c' }, { clientId: 'd' }),
        held('6', { scope: 'ü', iat: 5_000_000_000 }, { consumedAt: at }),
        held('7', { scope: 'ü', iat: 5_000_000_000 }, { kind: 'Session' }),
        held('8', { scope: 'ü', iat: 5_000_000_000 }, { expiresAt: at }),
        held('9', { scope: 'ü', iat: 5_000_000_000 }, { accountId: 'v' }),
      ]),
    )
    await store.listHeld(db, 'u', at, 10)
    await store.listHeld(db, 'u', at, 1)
    await store.listHeld(db, 'unknown', at, 10)
    await store.countTokens(db, 'c', at, 100)
    await store.countTokens(db, 'c', at, 2)
    await store.countTokens(db, 'c', time(10), 100)
    await own('ownTokens', artifacts.ownTokens, { id: 'u', verifiedEmail: undefined })
    await db.knex('organization').where({ id: 'o' }).update({ requires_second_factor: true })
    await transact(async (tx) => {
      await store.insertArtifacts(tx, [
        artifact('strict', { payload: { organizationId: 'o' } }),
        artifact('lax', { payload: {} }),
      ])
      await store.updateOpenPayload(tx, 'lax', { organizationId: 'other' })
      await store.consumeArtifacts(tx, ['strict'], time(9))
      await store.updateOpenPayload(tx, 'strict', { organizationId: 'other' })
      await store.deleteOfStrictOrganizations(tx, 'u')
      await store.deleteOfStrictOrganizations(tx, 'unknown')
    })
    await store.findArtifacts(db, ['strict', 'lax'])
    await sweep('expiredArtifacts', artifacts.expiredArtifacts(at))
    await sweep('expiredArtifacts', artifacts.expiredArtifacts(time(1)))
    await transact(async (tx) => {
      await store.insertArtifacts(tx, [artifact('of o', { clientId: 'd', payload: { organizationId: 'o' } })])
      await store.deleteOfOrganization(tx, 'd', 'u', 'o')
      await store.deleteOfOrganization(tx, 'd', 'u', 'o')
      await store.deleteByClientAndAccount(tx, 'd', 'u')
      await store.deleteByClientAndAccount(tx, 'd', 'v')
      await store.deleteByClient(tx, 'd')
      await store.deleteByClient(tx, 'unknown')
      await store.deleteByAccount(tx, 'u')
      await store.deleteByAccount(tx, 'u')
    })
    await remaining()

    await insert('session', { id: 'strong', token_hash: 'strong', factors: 2 })
    await insert('member', { id: 'm', organization_id: 'o', user_id: 'u', role: 'owner', created_at: at })
    const weak = held('weak', { organizationId: 'o', sessionUid: 's' }, { grantId: null })
    const strong = held('strong', { organizationId: 'o', sessionUid: 'strong' })
    const none = held('none', { organizationId: 'o' })
    const other = held('other', { sessionUid: 's' })
    await transact(async (tx) => {
      await store.insertArtifacts(tx, [weak, strong, none, other])
      await store.deleteOfOneFactor(tx, 'o')
      await tx.knex('organization').update({ requires_second_factor: true })
      await store.deleteOfOneFactor(tx, 'o', 'v')
      await store.deleteOfOneFactor(tx, 'o')
      await store.insertArtifacts(tx, [weak, none])
      await store.deleteOfOneFactor(tx, 'o', 'u')
      await store.insertArtifacts(tx, [weak, none])
      await store.deleteByAccountExcept(tx, 'u', 's')
    })
    await remaining()
  },
  { uncalled: ['payloadField'], unordered: ['consumeArtifacts', 'exchangeArtifacts'] },
)
