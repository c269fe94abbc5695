import { type Secrets, sha256 } from '../../core/crypto.ts'

/**
 * Names an invitation for readers who must not know its id, which admits a sign-up with the invited address: in lists that are redacted and in
 * events (docs/design/organizations.md#invitations).
 */
export const redactedId = (id: string): string => sha256(`invitation:${id}`).slice(0, 32)

interface InvitedAddress {
  readonly id: string
  readonly email: string
}

/**
 * Tokens in the links of invitation mails. Having one proves access to the invited mailbox, so no answer, list or log shows it: otherwise
 * the inviter could verify an address that is not theirs. Every mail of an invitation carries the same token.
 */
export interface InvitationTokens {
  issue(invitation: InvitedAddress): string
  verify(invitation: InvitedAddress, token: string | undefined): boolean
}

const signedText = ({ id, email }: InvitedAddress) => `${id}:${email}`

export const createInvitationTokens = (secrets: Secrets, ttlSeconds: number): InvitationTokens => ({
  issue: (invitation) => Buffer.from(secrets.sign('invitation', signedText(invitation)), 'base64').toString('base64url'),
  verify: (invitation, token) =>
    token !== undefined &&
    secrets.isSigned('invitation', signedText(invitation), Buffer.from(token, 'base64url').toString('base64'), ttlSeconds),
})
