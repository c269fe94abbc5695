const key = {
  ...{ kid: 'Q3mXr1VfZ0b7nYpKd2sTjW8uLcEhGoAi5xR9tB4yMqU', alg: 'RS256', createdAt: '2026-11-23T09:00:00.000Z' },
  ...{ state: 'signing', signsFrom: '2026-11-23T09:00:00.000Z', retiresAt: null },
}
const next = {
  ...{ kid: 'w8Zk4pTnB1qLr6YdXs0vHjGmCf3uEo9aRi2tN7yKbVQ', alg: 'RS256', createdAt: '2027-02-23T09:00:00.000Z' },
  ...{ state: 'next', signsFrom: '2027-02-23T10:00:00.000Z', retiresAt: null },
}

/** What the API document says besides the contract. */
export const signingKeyDocumentation = {
  listSigningKeys: {
    description: 'All of them; there are two or three of each algorithm. Neither half of a key is shown: verifiers read `/jwks`.',
    example: { response: { keys: [key], cachedSeconds: 300 } },
  },
  rotateSigningKeys: {
    description:
      'What `gatehouse rotate-jwks` does. The new keys are published at once and sign after `oidc.keyOverlapSeconds`, so that every verifier ' +
      'has read them by then. A second rotation has to wait until they sign.',
    example: { response: { keys: [{ ...key, retiresAt: '2027-02-23T11:05:00.000Z' }, next], cachedSeconds: 300 } },
  },
  revokeSigningKeys: {
    description:
      'What `gatehouse rotate-jwks --leaked` does. ID tokens that the former keys signed verify no more once an application has read `/jwks` again, ' +
      'which may take `cachedSeconds`. Sessions and access tokens go on.',
    example: {
      response: {
        keys: [
          { ...key, state: 'retired', retiresAt: '2027-02-23T09:00:00.000Z' },
          { ...next, state: 'signing', signsFrom: '2027-02-23T09:00:00.000Z' },
        ],
        cachedSeconds: 300,
      },
    },
  },
}
