import type { Secrets } from '../../core/crypto.ts'

interface Invited {
  readonly id: string
  readonly email: string
}

/**
 * What the mail's link carries besides the invitation's id. Whoever has it reads the invited mailbox, so nothing but the mail may show it:
 * those who invite could else have somebody's address verified for themselves. The same for every mail of one invitation.
 */
export interface Proofs {
  make(invitation: Invited): string
  isGood(invitation: Invited, token: string | undefined): boolean
}

const claimOf = ({ id, email }: Invited) => `${id}:${email}`

export const createProofs = (secrets: Secrets, lifeSeconds: number): Proofs => ({
  make: (invitation) => Buffer.from(secrets.sign('invitation', claimOf(invitation)), 'base64').toString('base64url'),
  isGood: (invitation, token) =>
    token !== undefined &&
    secrets.isSigned('invitation', claimOf(invitation), Buffer.from(token, 'base64url').toString('base64'), lifeSeconds),
})
