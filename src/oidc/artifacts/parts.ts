import { sha256 } from '../../core/crypto.ts'
import { type ArtifactRow, partKind } from './store.ts'

/** Identifies a session to one client (`sid`): opaque, and the same for as long as the session lasts. */
export const sidOf = (sessionId: string, clientId: string): string =>
  Buffer.from(sha256(JSON.stringify(['sid', sessionId, clientId])), 'hex').toString('base64url')

/** The row for a client that redeems this code: it is written by the statement that writes the tokens. */
export const partOf = (
  id: string,
  { accountId, clientId, payload }: Pick<ArtifactRow, 'accountId' | 'clientId' | 'payload'>,
  expiresAt: Date,
): ArtifactRow => ({
  ...{ id, kind: partKind, accountId, clientId, sessionId: null, grantId: null, consumedAt: null, rotatedFrom: null },
  // Another name than that of tokens, which end with changes of an organization.
  payload: { sessionUid: payload['sessionUid'], organization: payload['organizationId'] ?? null },
  ...{ exchangedFrom: null, siblingOf: null, expiresAt },
})
