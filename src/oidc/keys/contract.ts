import { z } from 'zod'
import { instant } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** A signing key without its private part. */
export const SigningKey = z
  .object({
    /** The identifier in the header of tokens and in `/jwks`. */
    kid: z.string(),
    alg: z.string(),
    /**
     * `next`: the key is published and does not sign yet. `retiring`: the key signs no more, and is published until everything that it
     * signed has expired.
     */
    state: z.enum(['next', 'signing', 'retiring', 'retired']),
    createdAt: instant,
    signsFrom: instant,
    /**
     * The time at which the next key starts to sign, whether that key exists or is only planned; null if automatic rotation is off and
     * there is no next key.
     */
    signsUntil: instant.nullable(),
    /** The time until which the key is published; null for the newest key of its algorithm. */
    retiresAt: instant.nullable(),
  })
  .meta({ id: 'SigningKey' })

const response = z.object({
  keys: z.array(SigningKey),
  /** The time in seconds for which applications may cache `/jwks`. */
  cachedSeconds: z.int(),
})

export const signingKeyContract = contract('Administration of applications', {
  listSigningKeys: {
    method: 'GET',
    path: '/admin/signing-keys',
    summary: 'List the keys that sign tokens, oldest first',
    access: { permission: 'signing-keys:read' },
    response,
    errors: [],
  },
  rotateSigningKeys: {
    method: 'POST',
    path: '/admin/signing-keys/rotate',
    summary: 'Add the next signing keys; the keys before them stay published until everything that they signed has expired',
    access: { permission: 'signing-keys:update', fresh: true },
    response,
    errors: ['KEY_ROTATION_IS_UNDER_WAY'],
  },
  revokeSigningKeys: {
    method: 'POST',
    path: '/admin/signing-keys/revoke',
    summary: 'Withdraw all signing keys after a leak: new keys sign at once, and the old keys leave /jwks at once',
    access: { permission: 'signing-keys:update', fresh: true },
    response,
    errors: ['KEY_ROTATION_IS_UNDER_WAY'],
  },
})

const key = {
  ...{ kid: 'Q3mXr1VfZ0b7nYpKd2sTjW8uLcEhGoAi5xR9tB4yMqU', alg: 'RS256', createdAt: '2026-11-23T09:00:00.000Z' },
  ...{ state: 'signing', signsFrom: '2026-11-23T09:00:00.000Z', retiresAt: null },
  signsUntil: '2027-02-21T09:00:00.000Z',
}
const next = {
  ...{ kid: 'w8Zk4pTnB1qLr6YdXs0vHjGmCf3uEo9aRi2tN7yKbVQ', alg: 'RS256', createdAt: '2027-02-23T09:00:00.000Z' },
  ...{ state: 'next', signsFrom: '2027-02-23T10:00:00.000Z', retiresAt: null },
  signsUntil: '2027-05-24T10:00:00.000Z',
}

/** Descriptions and examples for the API document. */
export const signingKeyDocumentation = {
  listSigningKeys: {
    description:
      'All keys are listed; there are two or three of each algorithm. Neither half of a key is shown; verifiers read the public half at `/jwks`. Keys are replaced automatically every `oidc.keyRotationDays`.',
    example: { response: { keys: [key], cachedSeconds: 300 } },
  },
  rotateSigningKeys: {
    description:
      'Does the same as `gatehouse rotate-jwks`. The new keys are published at once and sign after `oidc.keyOverlapSeconds`, so that every verifier has read them by then. A second rotation has to wait until they sign.',
    example: {
      response: {
        keys: [{ ...key, signsUntil: next.signsFrom, retiresAt: '2027-02-23T11:05:00.000Z' }, next],
        cachedSeconds: 300,
      },
    },
  },
  revokeSigningKeys: {
    description:
      'Does the same as `gatehouse rotate-jwks --leaked`. ID tokens signed with the old keys become invalid when an application has read `/jwks` again, which may take `cachedSeconds`. Sessions and access tokens stay valid.',
    example: {
      response: {
        keys: [
          { ...key, state: 'retired', signsUntil: '2027-02-23T09:00:00.000Z', retiresAt: '2027-02-23T09:00:00.000Z' },
          { ...next, state: 'signing', signsFrom: '2027-02-23T09:00:00.000Z' },
        ],
        cachedSeconds: 300,
      },
    },
  },
}
