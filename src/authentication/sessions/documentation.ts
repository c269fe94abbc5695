import { exampleUser } from '../../identity/users/contract.ts'

/** What the API document says besides the contract. The pages load contracts, and none of this. */
export const sessionDocumentation = {
  getSession: {
    description:
      'Asks for the session of the cookie or of `Authorization: Bearer`. Null is the answer for nobody; it is no error. The session is extended when it is due, unless `disableRefresh=true`.',
    example: {
      response: {
        session: {
          id: '0198c9d3-11b2-7a90-8f27-5c0e4d9b3a16',
          token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j',
          userId: exampleUser.id,
          expiresAt: '2026-03-09T09:15:00.000Z',
          createdAt: '2026-03-02T09:15:00.000Z',
          updatedAt: '2026-03-02T09:15:00.000Z',
          ipAddress: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          activeOrganizationId: null,
          activeTeamId: null,
          impersonatedBy: null,
        },
        user: exampleUser,
      },
    },
  },
  revokeSessions: { description: 'This one too, and what applications hold in the name of the user.' },
  revokeOtherSessions: {
    description: 'Also what applications hold in the name of the user, unless it was authorized in this session.',
  },
  signOut: {
    description: 'Succeeds also when nobody is signed in. The cookies of the session are removed.',
    example: { response: { success: true } },
  },
}
