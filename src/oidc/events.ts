import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

/** The changed fields of an application. None of them is a secret. */
const metadata = z.record(z.string(), z.unknown())

export const oidcEvents = defineEvents({
  'client.created': {
    summary: 'An application was registered.',
    subject: 'client',
    data: z.object({
      type: z.string(),
      skipConsent: z.boolean(),
      permissions: z.array(z.string()),
      registeredBy: z.string().default('administrator').describe('who registered it, and how'),
      registrantId: z.string().nullable().default(null).describe('id of that person, key or token'),
    }),
  },
  'client.updated': {
    summary: 'An application was changed.',
    subject: 'client',
    data: z.object({ fields: z.array(z.string()), before: metadata, after: metadata }),
  },
  'client.reviewed': {
    summary: 'An administrator approved or restricted an application that registered itself, or took that back.',
    subject: 'client',
    data: z.object({ review: z.string().nullable() }),
  },
  'client.disabled': {
    summary: 'An application was switched off: it signs nobody in, and its tokens count no more until it is switched on.',
    subject: 'client',
    data: z.object({}),
  },
  'client.enabled': { summary: 'An application was switched on again.', subject: 'client', data: z.object({}) },
  'client.deleted': {
    summary: 'An application was deleted, with its secrets, tokens and consents.',
    subject: 'client',
    data: z.object({ name: z.string(), type: z.string() }),
  },
  'client.secret_rotated': {
    summary: 'An application got a new secret.',
    subject: 'client',
    data: z.object({
      id: z.string().describe('id of the secret'),
      ended: z.array(z.string()).describe('ids of the secrets that ended at once'),
      ending: z.array(z.object({ id: z.string(), at: z.string() })).describe('secrets that count until then'),
    }),
  },
  'client.secret_revoked': {
    summary: 'A secret of an application was taken back.',
    subject: 'client',
    data: z.object({ id: z.string().describe('id of the secret') }),
  },
  'client.logout_failed': {
    summary: 'An application could not be told that a session has ended: every attempt failed.',
    subject: 'client',
    data: z.object({
      noticeId: z.string(),
      userId: z.string(),
      sessionId: z.string(),
      attempts: z.number(),
      answer: z.number().nullable().describe('status of the last answer; null for none'),
      problem: z.string().nullable().describe('why the last attempt failed'),
    }),
  },
  'client.sign_in_tested': {
    summary: 'An administrator began a sign-in of their own that tries an application. No token comes of it.',
    subject: 'client',
    data: z.object({}),
  },
  'device.approved': {
    summary: 'A person let a program on a device in, whose code they had entered.',
    subject: 'user',
    data: z.object({ clientId: z.string() }),
  },
  'device.refused': {
    summary: 'A program on a device was refused, whose code somebody had entered.',
    subject: 'user',
    data: z.object({ clientId: z.string() }),
  },
  'client.sign_in_test_passed': {
    summary: 'A sign-in that tries an application came to its end: the administrator has seen what the application would learn.',
    subject: 'client',
    data: z.object({}),
  },
  'client.initial_access_token_created': {
    summary: 'A token was made with which clients register themselves.',
    subject: 'initial_access_token',
    data: z.object({
      name: z.string(),
      types: z.array(z.string()),
      scopes: z.array(z.string()).nullable().describe('null: any'),
      redirectHosts: z.array(z.string()).nullable().describe('null: any'),
      maxClients: z.number(),
      expiresAt: z.string(),
    }),
  },
  'client.initial_access_token_revoked': {
    summary: 'Such a token was taken back.',
    subject: 'initial_access_token',
    data: z.object({}),
  },
  'consent.given': {
    summary: 'A user agreed to scopes of an application that they had not agreed to before.',
    subject: 'user',
    data: z.object({ clientId: z.string(), scopes: z.array(z.string()) }),
  },
  'consent.withdrawn': {
    summary: 'A user denied an application scopes that they had just agreed to.',
    subject: 'user',
    data: z.object({ clientId: z.string(), scopes: z.array(z.string()) }),
  },
  'consent.ended': {
    summary: 'The user, or an administrator, ended the access of an application to the user: its consents, codes and tokens.',
    subject: 'user',
    data: z.object({
      clientId: z.string(),
      scopes: z.array(z.string()),
      ended: z.number().describe('codes and tokens that ended'),
      organizationId: z.string().optional().describe('only the access for this organization ended'),
    }),
  },
  'grant.revoked': {
    summary: 'All tokens of one sign-in were revoked: by the application, or because a code or refresh token was used twice.',
    subject: 'user',
    data: z.object({ clientId: z.string().nullable(), isReused: z.boolean().describe('something was used twice') }),
  },
  'token.exchanged': {
    summary:
      'An application began to act for a user at an API, by an exchanged token: the first one of a sign-in in a day. The actor is the application or, where an administrator acts as the user, the administrator.',
    subject: 'user',
    data: z.object({
      clientId: z.string(),
      audience: z.string().describe('the API that the token is for'),
      scopes: z.array(z.string()),
      through: z
        .string()
        .nullable()
        .describe('the application that the user signed in to; null: an administrator acts as the user'),
      isBound: z.boolean().describe('the token is bound to a key of the application'),
    }),
  },
  'keys.rotated': {
    summary: 'The next signing keys were published.',
    subject: 'issuer',
    data: z.object({ keyIds: z.array(z.string()), signFrom: z.string() }),
  },
  'keys.revoked': {
    summary: 'All signing keys were withdrawn at once, because one leaked: new ones sign, and the former are published no more.',
    subject: 'issuer',
    data: z.object({ keyIds: z.array(z.string()).describe('those withdrawn'), newKeyIds: z.array(z.string()) }),
  },
})
