import { type Secrets, sha256 } from '../../core/crypto.ts'

/**
 * Identifies an invitation for readers who must not know its id: in redacted lists and in events. With the id, anyone can sign up with
 * the invited address (docs/design/organizations.md#invitations).
 */
export const redactedId = (id: string): string => sha256(`invitation:${id}`).slice(0, 32)

interface InvitedAddress {
  readonly id: string
  readonly email: string
}

/**
 * Tokens in the links of invitation mails. A token proves access to the invited mailbox. So no answer, list or log contains it: the
 * inviter could otherwise verify the address of another person. All mails of an invitation contain the same token.
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
