import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { emailInput, instant, Named, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { FailureMethod, StoredReason } from '../failures/contract.ts'

const id = plainText(255, 1)

/** A day or a time, as ISO 8601; a day begins at midnight UTC. */
const timeInput = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((text) => new Date(text))

/** Whose sign-in is explained. */
export const ExplainSignIn = z
  .object({
    /** Id or address of a user. */
    user: id.optional(),
    /** An address, which may have no account. */
    email: emailInput.optional(),
    /** Address of the client; narrows the story of a user or an address of mail, too. */
    address: plainText(64, 1).optional(),
    /** Id of one request, as error pages, answers and logs name it. */
    request: plainText(64, 1).optional(),
    /** From this time on; the last seven days without it. */
    since: timeInput.optional(),
    /** An application: attempts at other applications are left out. */
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

/** One thing that happened: a failed attempt, or an event. */
export const SignInEntry = z
  .object({
    id: z.string(),
    at: instant,
    kind: z.enum(['failure', 'event']),
    /** Why the attempt failed, or the type of the event. */
    what: z.string(),
    text: z.string(),
    /** The sentence about an event by code and values, without its actor, for pages in other languages; null of a failed attempt. */
    said: z.object({ code: z.string(), values: z.record(z.string(), z.union([z.string(), z.number()])) }).nullable(),
    /** The reason that was given for the event, where the sentence does not say it; null where none was. */
    reason: z.string().nullable(),
    /** Further facts about a failed attempt, such as the answer of a provider; null where there are none. */
    detail: z.string().nullable(),
    /** The setting or error code that decided; null where nothing was decided. */
    rule: z.string().nullable(),
    /** The command that helps; null where none does. */
    remedy: z.string().nullable(),
    /** How many attempts it stands for. */
    attempts: z.number(),
    /** When the last of them was. */
    lastAt: instant,
    /** The error that was answered. */
    code: z.string().nullable(),
    userId: z.string().nullable(),
    user: Named.nullable(),
    /** The actor of an event. */
    actor: Named.nullable(),
    provider: z.string().nullable(),
    clientId: z.string().nullable(),
    application: Named.nullable(),
    address: z.string(),
    userAgent: z.string(),
    requestId: z.string(),
  })
  .meta({ id: 'SignInEntry' })

/** A sentence, with its code and values for pages that say it in another language. */
const told = { text: z.string(), code: z.string(), values: z.record(z.string(), z.string().or(z.number())) }

/** A reason why a user gets no session now. */
export const SignInObstacle = z.object({ ...told, rule: z.string(), remedy: z.string().nullable() })

/** The outcome if the person signed in now, with the right password. */
export const SignInVerdict = z
  .object({
    /** `no-account`: no account has the address. `unknown`: the story belongs to no person or to several people. */
    outcome: z.enum(['can-sign-in', 'must-wait', 'cannot-sign-in', 'no-account', 'unknown']),
    ...told,
    obstacles: z.array(SignInObstacle),
  })
  .meta({ id: 'SignInVerdict' })

/** The account of the story as it is now. */
export const ExplainedAccount = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.string(),
  emailVerified: z.boolean(),
  hasPassword: z.boolean(),
  /** Passkeys that sign in by themselves. */
  passkeys: z.int(),
  /** Ids of the providers it signs in with. */
  providers: z.array(z.string()),
  banned: z.boolean(),
  banReason: z.string().nullable(),
  banExpires: instant.nullable(),
})

export const SignInExplanation = z
  .object({
    since: instant,
    account: ExplainedAccount.nullable(),
    /** Oldest first. */
    entries: z.array(SignInEntry),
    /** True when there is more in that time than is shown: the newest are. */
    isCut: z.boolean(),
    verdict: SignInVerdict,
  })
  .meta({ id: 'SignInExplanation' })

/** A sign-in to the own account, or an attempt, as its person sees it. */
export const OwnSignIn = z
  .object({
    id: z.string(),
    at: instant,
    /** `blocked`: refused without a look at what was given, because of too many attempts or a rule. */
    outcome: z.enum(['succeeded', 'failed', 'blocked']),
    /** The identifier that was given; `other`: a provider or a mailed link. */
    methods: z.array(z.enum(['password', 'code', 'passkey', 'second-factor', 'other'])),
    /** How many attempts it stands for. */
    attempts: z.int(),
    address: z.string(),
    userAgent: z.string(),
  })
  .meta({ id: 'OwnSignIn' })

export const ownSignInContract = contract('Sessions', {
  listOwnSignIns: {
    method: 'GET',
    path: '/list-sign-ins',
    summary: 'The last sign-ins of the signed-in user and attempts at their account, newest first: 20 at most, of 30 days',
    access: { permission: 'sessions:read' },
    response: z.object({ signIns: z.array(OwnSignIn) }),
    errors: [],
  },
})

export const SignInFailure = SignInEntry.omit({ kind: true })

/** Failed attempts of everybody. An address that was typed is not kept, so that none is shown. */
export const failureList = counted(
  sortedPage('failures', SignInFailure, {
    filter: {
      userId: id.optional(),
      address: plainText(64, 1).optional().meta({ description: 'Address of the client.' }),
      clientId: id.optional().meta({ description: 'The application that was refused.' }),
      reason: StoredReason.optional().meta({ description: 'Why it failed.' }),
      method: FailureMethod.optional().meta({ description: 'The method of the attempt.' }),
      provider: plainText(64, 1).optional(),
      since: timeInput.optional().meta({ description: 'From this day or time on.' }),
      until: timeInput.optional().meta({ description: 'Before this day or time.' }),
    },
    sorts: ['occurredAt'],
  }),
)

export const explanationContract = contract('Users', {
  listSignInFailures: {
    method: 'GET',
    path: '/admin/sign-ins/failures',
    summary: 'List failed sign-ins, page by page, with the meaning and remedy of each',
    access: { permission: 'sign-ins:read' },
    ...failureList,
    errors: [],
  },
  explainSignIn: {
    method: 'GET',
    path: '/admin/sign-ins/explanation',
    summary: 'Why a person cannot sign in: the events, the deciding rule and the remedy',
    access: { permission: 'sign-ins:read' },
    query: ExplainSignIn,
    response: SignInExplanation,
    errors: ['401 USER_NOT_FOUND', 'INVALID_EMAIL'],
  },
})

const banned = { text: 'The user is banned until the ban is lifted.', code: 'banned', values: {} }

/** Descriptions and examples of the API document. The pages load contracts, and none of these. */
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
