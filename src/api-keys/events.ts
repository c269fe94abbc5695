import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

const ownerKind = z.enum(['user', 'organization', 'instance'])
const permissions = z.array(z.string())

export const apiKeyEvents = defineEvents({
  'api_key.created': {
    summary: 'An API key was created.',
    subject: 'api_key',
    data: z.object({
      ownerKind,
      ownerId: z.string().nullable(),
      permissions,
      allowedNetworks: z.array(z.string()),
      expiresAt: z.string().nullable(),
    }),
  },
  'api_key.updated': {
    summary: 'An API key was changed, disabled or enabled.',
    subject: 'api_key',
    data: z.object({
      fields: z.array(z.string()).describe('the names of the changed settings'),
      before: z.record(z.string(), z.json()).describe('the former values; the name is left out'),
      after: z.record(z.string(), z.json()).describe('the new values; the name is left out'),
    }),
  },
  'api_key.rotated': {
    summary: 'An API key got a new secret. The former secret works until the given time.',
    subject: 'api_key',
    data: z.object({ ownerKind, ownerId: z.string().nullable(), formerUntil: z.string() }),
  },
  'api_key.revoked': {
    summary: 'An API key was deleted.',
    subject: 'api_key',
    data: z.object({
      ownerKind,
      ownerId: z.string().nullable(),
      reason: z.enum(['requested', 'account_recovered', 'second_factor_enabled']),
    }),
  },
})
