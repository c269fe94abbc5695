import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { emailInput, instant, Named, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { FailureMethod, StoredReason } from '../failures/contract.ts'

const id = plainText(255, 1)

/** A day or a point in time in ISO 8601. A day stands for its start in UTC. */
const timeInput = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((text) => new Date(text))

/** Selects the sign-ins to explain: by a person, a mail address, a network address or a request. */
export const ExplainSignIn = z
  .object({
    /** The id or mail address of a user. */
    user: id.optional(),
    /** A mail address, whether or not it has an account. */
    email: emailInput.optional(),
    /** The network address of the client. It can be combined with `user` or `email`. */
    address: plainText(64, 1).optional(),
    /** The id of a request. Error pages, answers and logs show it. */
    request: plainText(64, 1).optional(),
    /** The start of the period to explain. The default is seven days ago. */
    since: timeInput.optional(),
    /** The client id of an application. Failed sign-ins to other applications are left out. */
    client: id.optional(),
  })
  .refine(({ user, email, address, request }) => [user, email, address, request].some((one) => one !== undefined), {
    path: ['user'],
    message: 'needs one of user, email, address and request',
  })
  .refine(({ user, email }) => user === undefined || email === undefined, {
    path: ['email'],
    message: 'is instead of user, not beside it',
  })

/** An entry of the explanation: a failed attempt or an event. */
export const SignInEntry = z
  .object({
    id: z.string(),
    at: instant,
    kind: z.enum(['failure', 'event']),
    /** The reason why the attempt failed, or the type of the event. */
    what: z.string(),
    text: z.string(),
    /** The sentence about an event as code and values, so that it can be translated. It does not name the actor. Null for a failed attempt. */
    said: z.object({ code: z.string(), values: z.record(z.string(), z.union([z.string(), z.number()])) }).nullable(),
    /** The reason that the actor gave for the event; null if there is none, or if the sentence contains it. */
    reason: z.string().nullable(),
    /** Details of a failed attempt, such as the answer of an identity provider; null if there are none. */
    detail: z.string().nullable(),
    /** The setting or error code that caused the failure; null if there is none. */
    rule: z.string().nullable(),
    /** A command that can help; null if there is none. */
    remedy: z.string().nullable(),
    /** The number of attempts that this entry sums up. */
    attempts: z.number(),
    /** The time of the last attempt that this entry sums up. */
    lastAt: instant,
    /** The error code that the client got. */
    code: z.string().nullable(),
    userId: z.string().nullable(),
    user: Named.nullable(),
    /** The person or program that caused the event. */
    actor: Named.nullable(),
    provider: z.string().nullable(),
    clientId: z.string().nullable(),
    application: Named.nullable(),
    address: z.string(),
    userAgent: z.string(),
    requestId: z.string(),
  })
  .meta({ id: 'SignInEntry' })

/** A sentence in English, and its code and values for translations. */
const told = { text: z.string(), code: z.string(), values: z.record(z.string(), z.string().or(z.number())) }

/** A reason why the user cannot get a session now. */
export const SignInObstacle = z.object({ ...told, rule: z.string(), remedy: z.string().nullable() })

/** The outcome that a sign-in with the correct password would have now. */
export const SignInVerdict = z
  .object({
    /** `no-account`: the mail address has no account. `unknown`: the query names no person, or several people. */
    outcome: z.enum(['can-sign-in', 'must-wait', 'cannot-sign-in', 'no-account', 'unknown']),
    ...told,
    obstacles: z.array(SignInObstacle),
  })
  .meta({ id: 'SignInVerdict' })

/** The account of the person whose sign-ins are explained, in its present state. */
export const ExplainedAccount = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.string(),
  emailVerified: z.boolean(),
  hasPassword: z.boolean(),
  /** The number of the person's passkeys that can sign in without another factor. */
  passkeys: z.int(),
  /** The ids of the identity providers with which the person can sign in. */
  providers: z.array(z.string()),
  banned: z.boolean(),
  banReason: z.string().nullable(),
  banExpires: instant.nullable(),
})

export const SignInExplanation = z
  .object({
    since: instant,
    account: ExplainedAccount.nullable(),
    /** The entries, in the order of time. */
    entries: z.array(SignInEntry),
    /** True if the period has more entries than the list. The list then has only the newest entries. */
    isCut: z.boolean(),
    verdict: SignInVerdict,
  })
  .meta({ id: 'SignInExplanation' })

/** A sign-in, or a failed attempt to sign in, as the owner of the account sees it. */
export const OwnSignIn = z
  .object({
    id: z.string(),
    at: instant,
    /** `blocked`: the proof was not checked, because of too many attempts or because of a rule. */
    outcome: z.enum(['succeeded', 'failed', 'blocked']),
    /** The kinds of sign-in methods that were used. `other` stands for an identity provider or a mailed link. */
    methods: z.array(z.enum(['password', 'code', 'passkey', 'second-factor', 'other'])),
    /** The number of attempts that this entry sums up. */
    attempts: z.int(),
    address: z.string(),
    userAgent: z.string(),
  })
  .meta({ id: 'OwnSignIn' })

export const ownSignInContract = contract('Sessions', {
  listOwnSignIns: {
    method: 'GET',
    path: '/list-sign-ins',
    summary:
      'List the last sign-ins of the signed-in user and the attempts at their account, newest first: at most 20, from the last 30 days',
    access: { permission: 'sessions:read' },
    response: z.object({ signIns: z.array(OwnSignIn) }),
    errors: [],
  },
})

export const SignInFailure = SignInEntry.omit({ kind: true })

/** Failed attempts of all people. The address that a person typed is not stored, and therefore never shown. */
export const failureList = counted(
  sortedPage('failures', SignInFailure, {
    filter: {
      userId: id.optional(),
      address: plainText(64, 1).optional().meta({ description: 'The network address of the client.' }),
      clientId: id.optional().meta({ description: 'The application that was refused.' }),
      reason: StoredReason.optional().meta({ description: 'The reason of the failure.' }),
      method: FailureMethod.optional().meta({ description: 'The sign-in method of the attempt.' }),
      provider: plainText(64, 1).optional(),
      since: timeInput.optional().meta({ description: 'Only attempts from this day or time on.' }),
      until: timeInput.optional().meta({ description: 'Only attempts before this day or time.' }),
    },
    sorts: ['occurredAt'],
  }),
)

export const explanationContract = contract('Users', {
  listSignInFailures: {
    method: 'GET',
    path: '/admin/sign-ins/failures',
    summary: 'List failed sign-ins page by page, with the meaning and the remedy of each',
    access: { permission: 'sign-ins:read' },
    ...failureList,
    errors: [],
  },
  explainSignIn: {
    method: 'GET',
    path: '/admin/sign-ins/explanation',
    summary: 'Explain why a person cannot sign in: the events, the deciding rule and the remedy',
    access: { permission: 'sign-ins:read' },
    query: ExplainSignIn,
    response: SignInExplanation,
    errors: ['401 USER_NOT_FOUND', 'INVALID_EMAIL'],
  },
})

const banned = { text: 'The user is banned until the ban is lifted.', code: 'banned', values: {} }

/**
 * Descriptions and examples for the API document. They are kept outside of the contract, because pages load the contract and do not need
 * them.
 */
export const ownSignInDocumentation = {
  listOwnSignIns: {
    description:
      'Renewals of sessions are left out. Attempts with an address that the account does not have yet belong to no user.',
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
      'Returns the same as `gatehouse explain-sign-in`: failed attempts and events in the order of time, each with the rule that decided and the command that helps, and what a sign-in would lead to now. Failed attempts are kept for `signIns.keepDays`. Mail addresses are stored only as keyed hashes. No other answer reveals that no account has an address.',
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
            ...{ said: null, reason: null },
            detail: null,
            ...{ remedy: 'gatehouse unban-user --user ann@example.com', attempts: 1, lastAt: '2026-11-23T09:58:12.044Z' },
            ...{ code: 'BANNED_USER', userId: 'Vt3kQ0xZ8nLw2sYcA1bD4eF6', provider: null, clientId: null },
            ...{ user: { kind: 'user', id: 'Vt3kQ0xZ8nLw2sYcA1bD4eF6', name: 'Ann Example' }, actor: null, application: null },
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
