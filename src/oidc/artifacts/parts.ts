import { sha256 } from '../../core/crypto.ts'
import { partFieldOf, partKind } from './rules.ts'
import type { ArtifactRow } from './store.ts'

/** The value of the claim `sid`. It identifies a session to one client, is opaque, and does not change while the session lasts. */
export const sidOf = (sessionId: string, clientId: string): string =>
  Buffer.from(sha256(JSON.stringify(['sid', sessionId, clientId])), 'hex').toString('base64url')

/** The id of the row that links a client to a session. */
export const partIdOf = (sessionId: string, clientId: string): string => sha256(JSON.stringify(['part', sessionId, clientId]))

/** The row that links a client to its session when the client redeems this code. The statement that writes the tokens also inserts the row. */
export const partOf = (
  { accountId, clientId, payload }: Pick<ArtifactRow, 'accountId' | 'clientId' | 'payload'>,
  expiresAt: Date,
): ArtifactRow => {
  const { sessionUid, organizationId, impersonation } = payload as {
    readonly sessionUid?: string
    readonly organizationId?: string | null
    readonly impersonation?: { readonly by: string }
  }
  return {
    id: partIdOf(String(sessionUid), String(clientId)),
    ...{ kind: partKind, accountId, clientId, sessionId: null, grantId: null, consumedAt: null, rotatedFrom: null },
    // The field for the organization must not be named `organizationId`. Rows with that field are deleted when the user's access to the
    // organization ends, but this row is still needed then.
    payload: { sessionUid, ...(organizationId == null ? {} : { [partFieldOf(organizationId)]: true }) },
    ...{ exchangedFrom: null, siblingOf: null, impersonatorId: impersonation?.by ?? null, expiresAt },
  }
}
