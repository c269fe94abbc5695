import { exampleUser } from '../../identity/users/contract.ts'

const impersonator = '0198c9d2-77aa-7c41-9d3e-2b7f1a6c8e99'

/** What the API document says besides the contract. */
export const impersonationDocumentation = {
  impersonateUser: {
    description:
      'The cookie becomes that of the impersonated session; the own session goes on and waits in another cookie. Never of an administrator, nor of somebody with permissions that the caller lacks. Tokens that applications get meanwhile name the caller in `act`, and end with the session.',
    example: {
      body: { userId: exampleUser.id, reason: 'Ticket 4711: invitations are missing' },
      response: {
        session: {
          id: '0198c9d3-11b2-7a90-8f27-5c0e4d9b3a16',
          token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j',
          userId: exampleUser.id,
          expiresAt: '2026-03-02T10:15:00.000Z',
          createdAt: '2026-03-02T09:15:00.000Z',
          updatedAt: '2026-03-02T09:15:00.000Z',
          ipAddress: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          activeOrganizationId: null,
          activeTeamId: null,
          impersonatedBy: impersonator,
        },
        user: exampleUser,
      },
    },
  },
  stopImpersonating: {
    description:
      'The impersonated session ends in any case. Without the cookie of the own session, or when that has ended, the answer is FAILED_TO_FIND_ADMIN_SESSION: sign in again. A program that calls with `Authorization: Bearer` goes on with the token it had before.',
  },
}
