import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { defineEvents } from '../../core/events/types.ts'
import { daySeconds, hourSeconds } from '../../core/time.ts'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { exampleUser, User } from '../../identity/users/contract.ts'

/** A session as its owner sees it. `token` is the token that the call has sent. */
export const Session = z
  .object({
    id: z.string(),
    token: z.string(),
    userId: z.string(),
    expiresAt: instant,
    createdAt: instant,
    updatedAt: instant,
    ipAddress: z.string(),
    userAgent: z.string(),
    activeOrganizationId: z.string().nullable(),
    activeTeamId: z.string().nullable(),
    /** The id of the administrator who impersonates the user in this session; null if nobody does. */
    impersonatedBy: z.string().nullable(),
  })
  .meta({ id: 'Session' })

/**
 * A session in a list. Its field `token` contains the id of the session, so that a list never shows a token. Clients that revoke a
 * session by this field still work, because the id is accepted too.
 */
export const ListedSession = Session.extend({
  /** The readable name of the browser, such as "Firefox on Linux". */
  device: z.string(),
  /** True for the session that makes this call. */
  current: z.boolean(),
})

const status = z.object({ status: z.boolean() })
const flag = z.enum(['true', 'false']).optional()

export const sessionContract = contract('Sessions', {
  getSession: {
    method: 'GET',
    path: '/get-session',
    summary: 'Get the session of the signed-in user, or null',
    access: 'public',
    query: z.object({ disableCookieCache: flag, disableRefresh: flag }),
    response: z.object({ session: Session, user: User }).nullable(),
    errors: [],
    cookieCache: true,
  },
  listSessions: {
    method: 'GET',
    path: '/list-sessions',
    summary: 'List the sessions of the signed-in user that have not ended, last used first',
    access: { permission: 'sessions:read' },
    response: z.array(ListedSession),
    errors: [],
  },
  revokeSession: {
    method: 'POST',
    path: '/revoke-session',
    summary: 'End one session of the signed-in user, by its id or token',
    access: { permission: 'sessions:delete' },
    body: z.object({ token: plainText(64) }),
    response: status,
    errors: ['SESSION_NOT_FOUND'],
  },
  revokeSessions: {
    method: 'POST',
    path: '/revoke-sessions',
    summary: 'End all sessions of the signed-in user',
    access: { permission: 'sessions:delete' },
    response: status,
    errors: [],
  },
  revokeOtherSessions: {
    method: 'POST',
    path: '/revoke-other-sessions',
    summary: 'End all sessions of the signed-in user except this one',
    access: { permission: 'sessions:delete' },
    response: status,
    errors: [],
  },
  signOut: {
    method: 'POST',
    path: '/sign-out',
    summary: 'End the session, and with it single sign-on',
    access: 'public',
    response: z.object({ success: z.boolean() }),
    errors: ['FAILED_TO_GET_SESSION'],
  },
})

export const sessionErrors = errorsOf({
  FAILED_TO_GET_SESSION: [400, 'Failed to get session'],
  SESSION_NOT_FOUND: [400, 'Session not found'],
})

const byAmr: Readonly<Record<string, string>> = { pwd: 'password', hwk: 'passkey', swk: 'passkey', otp: 'mail-code' }

/** The sign-in methods in an event. In events of earlier versions, only values of RFC 8176 are known. */
const methodOf = ({ method, amr }: Readonly<Record<string, unknown>>): string => {
  if (typeof method === 'string') return method
  const values = Array.isArray(amr) ? amr.map(String) : []
  return values.map((value) => byAmr[value]).find((name) => name !== undefined) ?? 'other'
}

export const sessionEvents = defineEvents({
  'session.started': {
    summary: 'A user signed in.',
    subject: 'user',
    data: z.object({
      sessionId: z.string(),
      method: z.string().optional().describe('the first proof: `password`, `passkey`, `federated`, `mail-link`, `mail-code`, …'),
      amr: z.array(z.string()).describe('the authentication methods as values of RFC 8176'),
      acr: z.string(),
      provider: z.string().optional().describe('the provider of a sign-in with a provider'),
      device: z.string().describe('the browser and system, by the user agent'),
      isNewDevice: z.boolean().describe('true if the user has signed in before, but never with this browser or program'),
      isRemembered: z.boolean().optional().describe('true if a remembered browser replaced the second factor'),
      isRenewal: z.boolean().describe('true if the session of the call was renewed and kept its id'),
    }),
    counted: (data) => ({
      counts: [
        ['signIns', methodOf(data)],
        ...(typeof data['provider'] === 'string' ? [['providerSignIns', data['provider']] as const] : []),
      ],
      isActivity: true,
    }),
  },
  'session.ended': {
    summary:
      'A session ended: the user signed out or ended it in the list of sessions, or another person signed in with its browser.',
    subject: 'user',
    data: z.object({ sessionId: z.string() }),
  },
  'user.sessions_ended': {
    summary: 'All sessions of a user ended, except for a named one. The tokens of the user at applications ended too.',
    subject: 'user',
    data: z.object({ keptSessionId: z.string().optional() }),
  },
})

export const sessionsConfig = z
  .strictObject({
    expiresInSeconds: z
      .int()
      .min(60)
      .max(34_560_000)
      .default(7 * daySeconds)
      .describe('Life of a session since it started or was last extended.')
      .meta({ weakened: 'higher' }),
    updateAgeSeconds: z
      .int()
      .min(0)
      .max(34_560_000)
      .default(daySeconds)
      .describe('A session older than this is extended when it is used.')
      .meta({ weakened: 'never' }),
    freshAgeSeconds: z
      .int()
      .min(0)
      .max(34_560_000)
      .default(daySeconds)
      .describe('How long after sign-in a session counts as fresh; 0 disables the check.'),
    shortExpiresInSeconds: z
      .int()
      .min(60)
      .max(34_560_000)
      .default(daySeconds)
      .describe('Life of a session started with rememberMe false; it is never extended.')
      .meta({ weakened: 'higher' }),
    absoluteExpiresInSeconds: z
      .int()
      .min(60)
      .max(34_560_000)
      .default(30 * daySeconds)
      .describe('However often it is extended, a session ends this long after sign-in.')
      .meta({ weakened: 'higher' }),
    lastUseSeconds: z
      .int()
      .min(60)
      .max(34_560_000)
      .default(hourSeconds)
      .describe('How exactly the time of the last use is stored: it is written at most this often.')
      .meta({ weakened: 'never' }),
    cookieCacheSeconds: z
      .int()
      .min(0)
      .max(60)
      .default(0)
      .describe(
        'How long a browser may answer get-session from a signed cookie instead of the database; 0: never. ' +
          'A session ended elsewhere is then still shown for so long, and can do nothing any more.',
      )
      .meta({ weakened: 'higher' }),
    cookieCacheVersion: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .default(1)
      .describe('Raise it to void all such cookies at once.')
      .meta({ weakened: 'never' }),
  })
  .prefault({})

export type SessionsConfig = z.output<typeof sessionsConfig>

/**
 * Descriptions and examples for the API document. They are kept outside of the contract, because pages load the contract and do not need
 * them.
 */
export const sessionDocumentation = {
  getSession: {
    description:
      'Reads the session of the cookie or of `Authorization: Bearer`. Without a session the answer is null and not an error. The session is extended when that is due, unless `disableRefresh=true`.',
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
  revokeSessions: { description: 'This session ends too, and so do the tokens of the user at applications.' },
  revokeOtherSessions: {
    description: 'The tokens of the user at applications end too, except those that were authorized in this session.',
  },
  signOut: {
    description: 'The call succeeds even without a session. The cookies of the session are removed.',
    example: { response: { success: true } },
  },
}
