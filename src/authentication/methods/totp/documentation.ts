import { exampleUser } from '../../../identity/users/contract.ts'

const totpURI =
  'otpauth://totp/auth.example.com:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=auth.example.com&algorithm=SHA1&digits=6&period=30'

/** What the API document says besides the contract. */
export const totpDocumentation = {
  enable: {
    description:
      'In a session that is fresh, or with the password; who has a second factor must have proven it in this session. Also in a sign-in that has to add a second factor before it goes on. `totpURI` is what a QR code says; secret and codes are shown this once. Nothing counts before `verify-totp`; calling it again before replaces both.',
    example: {
      body: { password: 'correct horse battery staple' },
      response: { method: 'totp', totpURI, backupCodes: ['k3m9x-p7w2q', 'b8n4t-z6r5h'] },
    },
  },
  replace: {
    description:
      'Needs the same proof as `enable`. Nothing changes before `confirm-replacement`, within an hour; calling it again replaces what waits. Recovery codes stay.',
    example: { body: { password: 'correct horse battery staple' }, response: { totpURI } },
  },
  confirmReplacement: {
    description:
      'The session gets a new token, remembered browsers are forgotten, and the owner is told by mail. Other sessions stay. The new app is no recent proof in this session.',
    example: {
      body: { code: '287082' },
      response: { token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: { ...exampleUser, twoFactorEnabled: true } },
    },
  },
  getTotpUri: {
    description:
      'Needs the same proof as `enable`. Whoever has seen the secret has the app, so the owner is told by mail; `replace` shows nothing of the present one.',
    example: { body: { password: 'correct horse battery staple' }, response: { totpURI } },
  },
  verifyTotp: {
    description:
      'For the sign-in that waits in this browser (its cookie), else for the session of the call, which gets a new token and is then fresh. The first code makes the authenticator app count, with the recovery codes given with it, and ends the other sessions of the user. Codes of the step before and after count too; a code works once.',
    example: {
      body: { code: '287082', trustDevice: true },
      response: { token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: { ...exampleUser, twoFactorEnabled: true } },
    },
  },
  disable: {
    description:
      'The second factor must have been proven in this session within `sessions.freshAgeSeconds`; a password that is sent must be right. From then on a password alone signs in, unless a second factor is required of the user.',
    example: { body: { password: 'correct horse battery staple' }, response: { status: true } },
  },
  status: {
    description:
      '`methods` holds `totp`, `passkey`, `security-key`, `mail-code` and `recovery-code`, as far as the user has them. Codes and secrets are never shown again.',
    example: {
      response: {
        isEnabled: true,
        methods: ['totp', 'recovery-code'],
        totpSince: '2026-03-02T09:15:00.000Z',
        recoveryCodes: { left: 10, since: '2026-03-02T09:15:00.000Z' },
        dueAt: null,
        rememberedBrowsers: 1,
      },
    },
  },
}
