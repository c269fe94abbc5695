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
      registrantId: z.string().nullable().default(null).describe('the id of that person, key or token'),
    }),
  },
  'client.updated': {
    summary: 'An application was changed.',
    subject: 'client',
    data: z.object({ fields: z.array(z.string()), before: metadata, after: metadata }),
  },
  'client.reviewed': {
    summary: 'An administrator approved or restricted an application that registered itself, or withdrew such a decision.',
    subject: 'client',
    data: z.object({ review: z.string().nullable() }),
  },
  'client.disabled': {
    summary: 'An application was disabled. It signs nobody in, and its tokens are invalid until it is enabled again.',
    subject: 'client',
    data: z.object({}),
  },
  'client.enabled': { summary: 'An application was enabled again.', subject: 'client', data: z.object({}) },
  'client.deleted': {
    summary: 'An application was deleted with its secrets, tokens and consents.',
    subject: 'client',
    data: z.object({ name: z.string(), type: z.string() }),
  },
  'client.secret_rotated': {
    summary: 'An application got a new secret.',
    subject: 'client',
    data: z.object({
      id: z.string().describe('the id of the secret'),
      ended: z.array(z.string()).describe('the ids of the secrets that ended at once'),
      ending: z.array(z.object({ id: z.string(), at: z.string() })).describe('previous secrets are valid until then'),
    }),
  },
  'client.secret_revoked': {
    summary: 'A secret of an application was removed.',
    subject: 'client',
    data: z.object({ id: z.string().describe('the id of the secret') }),
  },
  'client.logout_failed': {
    summary: 'A notice to an application that a session has ended was not accepted: every attempt failed.',
    subject: 'client',
    data: z.object({
      noticeId: z.string(),
      userId: z.string(),
      sessionId: z.string(),
      attempts: z.number(),
      answer: z.number().nullable().describe('the status of the last answer; null if there was none'),
      problem: z.string().nullable().describe('the reason why the last attempt failed'),
    }),
  },
  'client.sign_in_tested': {
    summary: 'An administrator started a test sign-in to an application. No token is issued for it.',
    subject: 'client',
    data: z.object({}),
  },
  'device.approved': {
    summary: 'A person entered the code of a device and gave its program access.',
    subject: 'user',
    data: z.object({ clientId: z.string() }),
  },
  'device.refused': {
    summary: 'A person entered the code of a device and denied its program access.',
    subject: 'user',
    data: z.object({ clientId: z.string() }),
  },
  'client.sign_in_test_passed': {
    summary: 'A test sign-in to an application was completed. The administrator has seen what the application would receive.',
    subject: 'client',
    data: z.object({}),
  },
  'client.initial_access_token_created': {
    summary: 'An initial access token was created, with which clients register themselves.',
    subject: 'initial_access_token',
    data: z.object({
      name: z.string(),
      types: z.array(z.string()),
      scopes: z.array(z.string()).nullable().describe('null if all are allowed'),
      redirectHosts: z.array(z.string()).nullable().describe('null if all are allowed'),
      maxClients: z.number(),
      expiresAt: z.string(),
    }),
  },
  'client.initial_access_token_revoked': {
    summary: 'An initial access token was revoked.',
    subject: 'initial_access_token',
    data: z.object({}),
  },
  'consent.given': {
    summary: 'A user agreed to scopes of an application to which they had not agreed before.',
    subject: 'user',
    data: z.object({ clientId: z.string(), scopes: z.array(z.string()) }),
  },
  'consent.withdrawn': {
    summary: 'A user denied an application scopes to which they had just agreed.',
    subject: 'user',
    data: z.object({ clientId: z.string(), scopes: z.array(z.string()) }),
  },
  'consent.ended': {
    summary: 'The user or an administrator ended the access of an application to the user: its consents, codes and tokens.',
    subject: 'user',
    data: z.object({
      clientId: z.string(),
      scopes: z.array(z.string()),
      ended: z.number().describe('the number of codes and tokens that ended'),
      organizationId: z.string().optional().describe('set if only the access for this organization ended'),
    }),
  },
  'grant.revoked': {
    summary: 'All tokens of one sign-in were revoked, by the application or because a code or refresh token was used twice.',
    subject: 'user',
    data: z.object({
      clientId: z.string().nullable(),
      isReused: z.boolean().describe('true if a code or refresh token was used twice'),
    }),
  },
  'token.exchanged': {
    summary:
      'An application started to act for a user at an API with an exchanged token. Recorded for the first such token of a sign-in in a day. The actor is the application or, if an administrator acts as the user, the administrator.',
    subject: 'user',
    data: z.object({
      clientId: z.string(),
      audience: z.string().describe('the API that the token is for'),
      scopes: z.array(z.string()),
      through: z
        .string()
        .nullable()
        .describe('the application to which the user has signed in; null if an administrator acts as the user'),
      isBound: z.boolean().describe('true if the token is bound to a key of the application'),
    }),
  },
  'keys.rotated': {
    summary: 'The next signing keys were published.',
    subject: 'issuer',
    data: z.object({ keyIds: z.array(z.string()), signFrom: z.string() }),
  },
  'keys.revoked': {
    summary:
      'All signing keys were withdrawn at once because of a leak. New keys sign, and the old keys are no longer published.',
    subject: 'issuer',
    data: z.object({ keyIds: z.array(z.string()).describe('the keys that were withdrawn'), newKeyIds: z.array(z.string()) }),
  },
})
