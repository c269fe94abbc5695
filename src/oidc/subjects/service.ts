import type { Core } from '../../core/core.ts'
import { hmacSha256 } from '../../core/crypto.ts'
import type { Claim } from '../../identity/claims/index.ts'
import type { ClientRow } from '../clients/store.ts'
import * as store from './store.ts'

/** The fields of a client on which the subject identifier of a person depends. */
export type SubjectClient = Pick<ClientRow, 'metadata' | 'redirectUrls'>

/** Subject identifiers, under which clients know people (OpenID Connect Core 1.0, section 8). */
export interface Subjects {
  /** The `sub` of a user for a client: the id of the user, or an identifier for the client's sector. */
  of(client: SubjectClient, userId: string): Promise<string>
  /** The `sub` of a user in a sector. It is a keyed hash. Nobody can compute the user's id or the user's `sub` in another sector from it. */
  inSector(sector: string, userId: string): Promise<string>
  /** Claims about a user, with the claim `sub` replaced by the user's `sub` for this client. The source of that claim is adjusted too. */
  shown(client: SubjectClient, claims: readonly Claim[]): Promise<readonly Claim[]>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets'> {}

const keyId = 'pairwise'

/** The sector of a client (OpenID Connect Core 1.0, section 8.1). It is a host. Clients of one sector get equal subject identifiers. */
export const sectorOf = ({ metadata, redirectUrls }: SubjectClient): string =>
  new URL(metadata.sectorIdentifierUri ?? redirectUrls[0] ?? '').host

const isPairwise = ({ metadata }: SubjectClient): boolean => metadata.subjectType === 'pairwise'

export const createSubjects = ({ db, transact, clock, random, secrets }: Deps): Subjects => {
  let hash: Promise<ReturnType<typeof hmacSha256>> | undefined

  /** The key for subject identifiers is made once for the installation. It does not change when the secret or the signing keys change. */
  const load = async () => {
    const found = await store.findSubjectKey(db, keyId)
    if (found !== undefined) return hmacSha256(Buffer.from(secrets.open(found.key, store.contextOf(keyId)), 'base64'))
    const key = secrets.seal(random.bytes(32).toString('base64'), store.contextOf(keyId))
    await transact((tx) => store.insertSubjectKey(tx, { id: keyId, key, createdAt: clock.now() }))
    return load()
  }

  const inSector: Subjects['inSector'] = async (sector, userId) => {
    hash ??= load().catch((error: unknown) => {
      hash = undefined
      throw error
    })
    return Buffer.from((await hash)(JSON.stringify([sector, userId])), 'base64').toString('base64url')
  }

  const of: Subjects['of'] = async (client, userId) => (isPairwise(client) ? inSector(sectorOf(client), userId) : userId)

  return {
    of,
    inSector,
    shown: async (client, claims) => {
      if (!isPairwise(client)) return claims
      const origins = [{ rule: 'pairwise', row: `sector ${sectorOf(client)}` }]
      const known = claims.map(async (claim) =>
        claim.name === 'sub' ? { ...claim, value: await of(client, String(claim.value)), origins } : claim,
      )
      return Promise.all(known)
    },
  }
}
