const banned = { text: 'The user is banned until the ban is lifted.', code: 'banned', values: {} }

/** What the API document says besides the contract. The pages load contracts, and none of this. */
export const ownSignInDocumentation = {
  listOwnSignIns: {
    description:
      'Sessions that only went on are not in it. Attempts with an address that is not yet in the account are nobody’s.',
    example: {
      response: {
        signIns: [
          {
            ...{ id: 'e7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE', at: '2026-11-23T09:00:00.000Z', outcome: 'succeeded', attempts: 1 },
            ...{ methods: ['password', 'code'], address: '192.0.2.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' },
          },
        ],
      },
    },
  },
}

export const explanationDocumentation = {
  explainSignIn: {
    description:
      'What `gatehouse explain-sign-in` does: failed attempts and events in the order of time, each with the rule that decided and the command that ' +
      'helps, and what would happen now. Failed attempts are kept for `signIns.keepDays`; addresses of mail only as a keyed hash. Only here does ' +
      'anybody learn that no account has an address.',
    example: {
      response: {
        since: '2026-11-16T10:00:00.000Z',
        account: {
          ...{ id: 'Vt3kQ0xZ8nLw2sYcA1bD4eF6', email: 'ann@example.com', name: 'Ann Example', role: 'user', emailVerified: true },
          ...{ hasPassword: true, passkeys: 0, providers: [], banned: true, banReason: 'chargebacks', banExpires: null },
        },
        entries: [
          {
            id: '0mfd3k1a90000Vt3kQ0xZ8nLw2sYcA1',
            ...{
              at: '2026-11-23T09:58:12.044Z',
              kind: 'failure',
              what: 'banned',
              text: 'The user is banned.',
              rule: 'BANNED_USER',
            },
            detail: null,
            ...{ remedy: 'gatehouse unban-user --user ann@example.com', attempts: 1, lastAt: '2026-11-23T09:58:12.044Z' },
            ...{ code: 'BANNED_USER', userId: 'Vt3kQ0xZ8nLw2sYcA1bD4eF6', provider: null, clientId: null },
            ...{ address: '192.0.2.7', userAgent: 'Mozilla/5.0', requestId: '8nLw2sYcA1bD4eF6' },
          },
        ],
        isCut: false,
        verdict: {
          ...{ outcome: 'cannot-sign-in', ...banned },
          obstacles: [
            {
              ...{ ...banned, rule: 'BANNED_USER' },
              remedy: 'gatehouse unban-user --user ann@example.com',
            },
          ],
        },
      },
    },
  },
}
