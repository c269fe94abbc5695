import { type Secrets, sha256 } from '../../core/crypto.ts'

/**
 * A hash of an invitation's id, for redacted lists and events, whose readers must not know the id: anybody who knows it can sign up with
 * the invited address (docs/design/organizations.md#invitations).
 */
export const redactedId = (id: string): string => sha256(`invitation:${id}`).slice(0, 32)

interface InvitedAddress {
  readonly id: string
  readonly email: string
}

/**
 * Makes the tokens in the links of invitation mails. Whoever has the token can read the invited mailbox. So no answer, list or log may
 * contain a token: with it, the inviter could verify the email address of another person. All mails about one invitation contain the same
 * token.
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
