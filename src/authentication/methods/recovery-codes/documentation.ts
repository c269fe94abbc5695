import { exampleUser } from '../../../identity/users/contract.ts'

const codes = ['k3m9x-p7w2q', 'b8n4t-z6r5h', 'j2v7c-f9d3g', 'y5s8e-a4u6k', 'q9w3n-m7x2b', 't6h4r-c8v5j']
const moreCodes = ['g7d2p-e3y9s', 'n5k8a-u4z6m', 'x3b9w-h7q2t', 'r6f4j-s8g5v']

/** What the API document says besides the contract. */
export const recoveryCodeDocumentation = {
  verifyBackupCode: {
    description:
      'For the sign-in that waits in this browser (its cookie), else for the session of the call, which is then fresh. Blanks, dashes and case of the code do not count. With three codes left, and with each fewer, their owner gets a mail. `disableSession` uses the code and starts no session.',
    example: {
      body: { code: 'k3m9x-p7w2q' },
      response: {
        token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j',
        user: { ...exampleUser, twoFactorEnabled: true },
        backupCodesLeft: 9,
        fewBackupCodesLeft: false,
      },
    },
  },
  generateBackupCodes: {
    description:
      'Only for people with a second factor, who must have proven it in this session within `sessions.freshAgeSeconds`; a password that is sent must be right.',
    example: {
      body: { password: 'correct horse battery staple' },
      response: { status: true, backupCodes: [...codes, ...moreCodes] },
    },
  },
}
