import { z } from 'zod'
import { instant } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** A key that signs tokens, without the key itself. */
export const SigningKey = z
  .object({
    /** As the header of a token and `/jwks` name it. */
    kid: z.string(),
    alg: z.string(),
    /** `next`: published, not signing yet; `retiring`: published until nothing it signed is valid. */
    state: z.enum(['next', 'signing', 'retiring', 'retired']),
    createdAt: instant,
    signsFrom: instant,
    /** When it stops being published; null while it is the newest of its algorithm. */
    retiresAt: instant.nullable(),
  })
  .meta({ id: 'SigningKey' })

const response = z.object({
  keys: z.array(SigningKey),
  /** How long applications may keep what they have read of `/jwks`, in seconds. */
  cachedSeconds: z.int(),
})

export const signingKeyContract = contract('Administration of applications', {
  listSigningKeys: {
    method: 'GET',
    path: '/admin/signing-keys',
    summary: 'The keys that sign tokens, oldest first',
    access: { permission: 'signing-keys:read' },
    response,
    errors: [],
  },
  rotateSigningKeys: {
    method: 'POST',
    path: '/admin/signing-keys/rotate',
    summary: 'Add the next signing keys; those before them stay published until nothing they signed is valid',
    access: { permission: 'signing-keys:update', fresh: true },
    response,
    errors: ['KEY_ROTATION_IS_UNDER_WAY'],
  },
  revokeSigningKeys: {
    method: 'POST',
    path: '/admin/signing-keys/revoke',
    summary: 'Withdraw all signing keys after a leak: new ones sign at once, and the former leave /jwks at once',
    access: { permission: 'signing-keys:update', fresh: true },
    response,
    errors: ['KEY_ROTATION_IS_UNDER_WAY'],
  },
})
