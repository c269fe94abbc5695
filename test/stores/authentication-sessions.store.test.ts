import * as sessions from '../../src/authentication/sessions/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)
type Row = sessions.SessionRow & sessions.AuthenticationRow

compareStore(
  'authentication/sessions/store',
  sessions,
  async ({ store, db, transact, seed, insert, compareRows }) => {
    await seed('user', 'organization', 'team')
    await insert('team', { id: 't2' })
    const banned = { banned_at: later, ban_expires_at: latest, fields: '{"team":"Blue"}', image: 'https://a.example/ü' }
    await insert('user', { id: 'u2', email: 'ü@example.com', name: 'Ünal', language: 4, second_factor_since: at, ...banned })
    const proof = { method: 'oidc', at: at.toISOString(), provider: 'Größe', amr: ['pwd', 'otp'] }
    const row = (id: string, changes: Partial<Row> = {}): Row => ({
      ...{
        id,
        tokenHash: `of ${id}`,
        userId: 'u',
        expiresAt: latest,
        createdAt: at,
        updatedAt: at,
        ipAddress: '10.0.0.1',
        userAgent: 'ü',
      },
      ...{ rememberMe: true, activeOrganizationId: null, activeTeamId: null, impersonatedBy: null, impersonatorSessionId: null },
      ...{ factors: 1, provenAt: null, amr: ['pwd'], acr: 'urn:gatehouse:1', proofs: [proof], ...changes },
    })
    const active = { activeOrganizationId: 'o', activeTeamId: 't' }
    const impersonated = { userId: 'u2', impersonatedBy: 'u', impersonatorSessionId: 's1' }
    await transact(async (tx) => {
      await store.insertSession(tx, row('s1', active))
      await store.insertSession(
        tx,
        row('s2', { ...active, factors: 2, provenAt: at, rememberMe: false, amr: [], proofs: [], updatedAt: later }),
      )
      await store.insertSession(tx, row('s3', impersonated))
      await store.insertSession(tx, row('s4', { expiresAt: at, userId: 'u2' }))
      await store.insertSession(tx, row('s5', { userId: 'u2', createdAt: later, ...active }))
    })
    await transact((tx) => store.insertSession(tx, row('s6', { tokenHash: 'of s1' }))).catch(() => undefined)
    await transact((tx) => store.insertSession(tx, row('s7', { userId: 'nobody' }))).catch(() => undefined)
    await store.listBannedSince(db, at)
    await store.listBannedSince(db, later)
    await store.findByTokenHashes(db, ['of s1', 'of s2', 'of s3', 'OF S1'])
    await store.findByTokenHashes(db, [])
    for (const hash of ['of s1', 'of s3', 'OF S1']) await store.findByTokenHashWithAuthentication(db, hash)
    for (const id of ['s2', 'S2']) await store.findSession(db, id)
    for (const id of ['s2', 'S2']) await store.findAuthentication(db, id)
    for (const key of ['s1', 'of s1', 'none']) await store.findByIdOrTokenHash(db, key, key)
    await store.listByUser(db, 'u', at, false)
    await store.listByUser(db, 'u2', at, true)
    await store.listByUser(db, 'u2', new Date(at.getTime() - 1), false)
    await store.listByUser(db, 'u', latest, true)
    await store.ownSessions.read(db, { id: 'u2', verifiedEmail: undefined })
    await store.expiredSessions(at)
    await store.expiredSessions(latest)

    const {
      id: _id,
      activeOrganizationId: _organization,
      activeTeamId: _team,
      ...renewed
    } = row('s1', { factors: 2, provenAt: later })
    await transact(async (tx) => {
      await store.renew(tx, 's1', 'of s1', { ...renewed, tokenHash: 'renewed', proofs: [] })
      await store.renew(tx, 's1', 'of s1', renewed)
      await store.replaceToken(tx, 's2', 'of s2', 'replaced')
      await store.replaceToken(tx, 's2', 'of s2', 'replaced')
      await store.extend(tx, 's2', later, latest, latest)
      await store.extend(tx, 's2', later, latest, latest)
      await store.setActiveTeam(tx, 's2', 'o', 't2')
      await store.setActiveTeam(tx, 's2', 'another', 't')
      await store.clearActiveOfOneFactor(tx, 'o')
      const [found] = await store.listOfTwoFactors(tx, ['u', 'u2'], 'urn:gatehouse:1')
      await store.listOfTwoFactors(tx, ['u'], 'another')
      if (found !== undefined) await store.setProofs(tx, found, [{ method: 'password', at: at.toISOString() }], 1)
      if (found !== undefined) await store.setProofs(tx, { ...found, tokenHash: 'another' }, [], 1)
    })
    await compareRows()
    await transact(async (tx) => {
      await store.setActive(tx, 's4', 'o', 't')
      await store.setActive(tx, 's5', 'o', null)
      await store.setActive(tx, 'none', null, null)
      await store.clearActive(tx, { organizationId: 'o', teamId: 't', userId: 'u2' })
      await store.clearActive(tx, { organizationId: 'o', teamId: 't', userId: 'u2' })
      await store.clearActive(tx, { organizationId: 'o', userId: 'u' })
    })
    await compareRows()
    await transact(async (tx) => {
      await store.deleteImpersonationsBy(tx, 'u')
      await store.deleteImpersonationsBy(tx, 'u')
      await store.deleteSession(tx, 's4')
      await store.deleteSession(tx, 's4')
      await store.deleteByUser(tx, 'u', 's1')
      await store.deleteByUser(tx, 'u', undefined)
      await store.deleteByUser(tx, 'u', undefined)
    })

    await transact(async (tx) => {
      await store.rememberDevice(tx, 'u', ['d1', 'd2'], at)
      await store.rememberDevice(tx, 'u', ['d2', 'd3'], later)
      await store.rememberDevice(tx, 'u2', ['d1'], latest)
      await store.rememberDevice(tx, 'u', [], latest)
    })
    await store.isKnown(db, 'u', 'd1')
    await store.isKnown(db, 'u2', 'd3')
    await store.countDevices(db, 'u', ['d1', 'd3', 'none'])
    await store.countDevices(db, 'u', [])
    await store.countDevices(db, 'nobody', ['d1'])
    await store.devicesBefore(at)
    await store.devicesBefore(later)
    await compareRows()
    await transact(async (tx) => {
      await store.deleteDevicesBeyond(tx, 'u', 2)
      await store.deleteDevicesBeyond(tx, 'u', 2)
      await store.deleteDevices(tx, 'u')
      await store.deleteDevices(tx, 'u')
    })
  },
  { unordered: ['listBannedSince', 'deleteByUser'] },
)
