import { auditContract } from '../../../../src/audit/contract.ts'
import { explanationContract } from '../../../../src/authentication/explanation/contract.ts'
import { daysAgo } from '../../made-up.ts'
import type { Answers } from '../../state.ts'
import { JsonLines, press, refused } from '../../state.ts'
import type { ScreenCase } from '../case.ts'
import type { Amount } from '../made-up.ts'
import { addressOf, agoOf, companyOf, deviceOf, emailOf, idOf, nameOf, nextOf, rowsOf, times, totalOf } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says, together } from '../typed.ts'
import { userNames, userOf } from './users.ts'

type Event = Wire<typeof auditContract, 'getEvent'>
type Explanation = Wire<typeof explanationContract, 'explainSignIn'>

const kinds: readonly (readonly [type: string, subjectType: string, data: Event['data']])[] = [
  ['session.started', 'session', { methods: ['password'], device: 'Firefox on Linux' }],
  ['user.updated', 'user', { fields: ['name', 'email'], before: { name: nameOf(4) }, after: { name: nameOf(2) } }],
  ['client.secret_rotated', 'client', { id: idOf('sec', 1), ended: [], ending: [idOf('sec', 0), idOf('sec', 2)] }],
  [
    'billing.rebuilt',
    'instance',
    { deliveries: 104_233, customers: 5_120, corrected: 3, removed: 0, restored: 1, snapshots: 2, links: 0 },
  ],
  ['invitation.created', 'invitation', {}],
]

export const eventOf = (index: number): Event => {
  const [type, subjectType, data] = kinds[index % kinds.length] ?? ['session.started', 'session', {}]
  const isOurs = index % 5 === 3
  const organizationId = index % 5 === 4 ? idOf('org', index) : null
  const subjectId = idOf(subjectType.slice(0, 3), index)
  return {
    id: idOf('evt', index),
    type,
    occurredAt: agoOf(index),
    actorKind: isOurs ? 'system' : 'user',
    actorId: isOurs ? null : idOf('usr', index),
    sessionId: isOurs ? null : idOf('ses', index),
    impersonatorId: index % 10 === 1 ? idOf('usr', 0) : null,
    subjectType,
    subjectId,
    organizationId,
    actor: isOurs ? { kind: 'system', id: null, name: null } : { kind: 'user', id: idOf('usr', index), name: nameOf(index) },
    // Every seventh subject was deleted, so it has no name.
    subject: { kind: subjectType, id: subjectId, name: index % 7 === 6 ? null : nameOf(index + 1) },
    impersonator: index % 10 === 1 ? { kind: 'user', id: idOf('usr', 0), name: nameOf(0) } : null,
    organization: organizationId === null ? null : { kind: 'organization', id: organizationId, name: companyOf(index) },
    mentions: [],
    address: isOurs ? '' : addressOf(index),
    userAgent: isOurs ? '' : deviceOf(index).userAgent,
    requestId: isOurs ? '' : `0192f3c4-5d6e-7f80-9a1b-${String(index).padStart(12, '0')}`,
    reason:
      index % 5 === 1 ? 'The person called and asked for it; ticket 4711, and the colleague of the day before knows more' : null,
    data,
    position: index === 0 ? null : 104_233 - index,
    hash: index === 0 ? null : 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  }
}

export const eventsOf = (amount: Amount): Answers =>
  says(auditContract, 'listEvents', { events: rowsOf(amount, eventOf), next: nextOf(amount), total: totalOf(amount) })

/** Exports in every state: unfinished, ready and failed. */
const exportOf = (index: number): Wire<typeof auditContract, 'createEventExport'> => {
  const status = (['running', 'made', 'failed', 'pending'] as const)[index % 4] ?? 'made'
  const isWhole = status === 'made'
  return {
    id: idOf('exp', index),
    format: index % 2 === 0 ? ('csv' as const) : ('jsonl' as const),
    filters:
      index % 2 === 0
        ? { type: 'client.*', subject: idOf('cli', index), reason: 'ticket 4711 and what came after it', since: daysAgo(30) }
        : {},
    status,
    error: status === 'failed' ? (index % 8 === 2 ? ('too-large' as const) : ('interrupted' as const)) : null,
    progress: isWhole ? 100 : status === 'running' ? 42 : 0,
    events: status === 'pending' ? 0 : 104_233,
    bytes: status === 'pending' ? 0 : 48_318_382,
    createdAt: agoOf(index),
    endedAt: isWhole || status === 'failed' ? agoOf(index) : null,
    expiresAt: daysAgo(-1),
  }
}

const exportsOf = (amount: Amount): Answers =>
  together(
    says(auditContract, 'listEventExports', { exports: times({ empty: 0, few: 3, many: 10 }[amount], exportOf), next: null }),
    says(auditContract, 'createEventExport', exportOf(0)),
    says(auditContract, 'deleteEventExport', { id: idOf('exp', 0) }),
  )

const account = (index: number, more: Partial<NonNullable<Explanation['account']>> = {}): NonNullable<Explanation['account']> => {
  const { id, email, name, role, emailVerified, banned, banReason, banExpires } = userOf(index)
  return {
    ...{ id, email, name, role, emailVerified, banned, banReason, banExpires },
    hasPassword: true,
    passkeys: 2,
    providers: ['google', 'github'],
    ...more,
  }
}

/** A code that only a newer server knows, so this console has no text for it. */
const unknown = { code: 'of-later', values: {} }

const entryOf = (index: number): Explanation['entries'][number] => ({
  id: idOf('ent', index),
  at: agoOf(index + 1),
  kind: index % 3 === 2 ? 'event' : 'failure',
  what: index % 3 === 2 ? 'user.password_changed' : 'wrong-password',
  text: index % 3 === 2 ? 'The password was changed, and all other sessions ended.' : `The password for ${emailOf(2)} was wrong.`,
  said: index % 3 === 2 ? { code: 'user.password_changed', values: {} } : null,
  reason: index % 6 === 5 ? 'called, ticket 4711' : null,
  detail: index % 3 === 1 ? '127 s' : null,
  rule: index % 3 === 0 ? 'accounts.guessing.freeAttempts' : null,
  remedy: index % 3 === 0 ? `gatehouse set-password --user ${emailOf(2)} --reason "called, ticket 4711"` : null,
  attempts: index % 3 === 1 ? 14 : 1,
  lastAt: agoOf(index),
  code: 'INVALID_EMAIL_OR_PASSWORD',
  userId: idOf('usr', 2),
  user: { kind: 'user', id: idOf('usr', 2), name: nameOf(2) },
  actor: index % 3 === 2 ? { kind: 'user', id: idOf('usr', 0), name: nameOf(0) } : null,
  provider: null,
  clientId: null,
  application: null,
  address: addressOf(index),
  userAgent: deviceOf(index).userAgent,
  requestId: `0192f3c4-5d6e-7f80-9a1b-${String(index).padStart(12, '0')}`,
})

const explanations: Readonly<Record<Amount, Explanation>> = {
  empty: {
    since: daysAgo(30),
    account: null,
    entries: [],
    isCut: false,
    verdict: {
      outcome: 'no-account',
      text: 'No account has the address. Sign-up is closed.',
      code: 'no-account-closed',
      values: {},
      obstacles: [],
    },
  },
  few: {
    since: daysAgo(30),
    account: account(0),
    entries: times(3, entryOf).toReversed(),
    isCut: false,
    verdict: {
      outcome: 'can-sign-in',
      text: 'The account can sign in now, with the password or google.',
      code: 'can-sign-in',
      values: { ways: 'password, google' },
      obstacles: [],
    },
  },
  many: {
    since: daysAgo(30),
    account: account(2),
    entries: times(100, entryOf).toReversed(),
    isCut: true,
    verdict: {
      outcome: 'cannot-sign-in',
      text: 'The account is banned, and its password must be reset.',
      ...unknown,
      obstacles: [
        {
          text: 'The user is banned until the ban is lifted.',
          code: 'banned',
          values: {},
          rule: 'users:ban',
          remedy: `gatehouse unban-user ${emailOf(2)}`,
        },
        {
          text: 'A second factor is required, and the time to add one has ended.',
          ...unknown,
          rule: 'secondFactor.requiredFor',
          remedy: null,
        },
      ],
    },
  },
}

const failuresOf = (amount: Amount): Answers =>
  says(explanationContract, 'listSignInFailures', {
    failures: rowsOf(amount, (index) => {
      const { kind: _, ...failure } = entryOf(index * 3)
      const user = index % 4 === 1 ? null : { kind: 'user', id: idOf('usr', index), name: nameOf(index) }
      return { ...failure, id: idOf('fai', index), userId: user?.id ?? null, user }
    }),
    next: nextOf(amount),
    total: totalOf(amount),
  })

const explanation = '/admin/sign-ins/explanation'
const verification = 'GET /admin/events/verification'
const result = {
  from: 1,
  to: 104_233,
  hash: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  checkpoints: 105,
  unsealed: 2,
}
const fault = {
  kind: 'changed',
  position: 88_104,
  message: 'The event at position 88104 is not what was sealed: its hash is another.',
}
const verified = (amount: Amount): Answers => ({
  [verification]: new JsonLines([
    { progress: { from: 1, position: 50_000, to: 104_233 } },
    {
      result: {
        ...result,
        faults: times({ empty: 0, few: 1, many: 20 }[amount], (index) => ({ ...fault, position: fault.position + index })),
      },
    },
  ]),
})

export const historyCases: readonly ScreenCase[] = [
  {
    pattern: '/admin/events',
    answers: (amount) => together(eventsOf(amount), exportsOf(amount), says(auditContract, 'getEvent', eventOf(1)), userNames),
    more: { peek: { path: `/admin/events?peek=${idOf('evt', 1)}` } },
  },
  {
    pattern: '/admin/events/:id',
    path: `/admin/events/${idOf('evt', 1)}`,
    answers: (amount) => together(says(auditContract, 'getEvent', eventOf({ empty: 3, few: 0, many: 1 }[amount])), userNames),
    more: { 'not-found': { answers: { [`GET /admin/events/${idOf('evt', 1)}`]: refused(404, 'EVENT_NOT_FOUND') } } },
  },
  {
    pattern: explanation,
    path: `${explanation}?${new URLSearchParams({ email: emailOf(2) })}`,
    answers: (amount) => says(explanationContract, 'explainSignIn', explanations[amount]),
    more: { start: { path: explanation } },
  },
  {
    pattern: '/admin/sign-ins/failures',
    answers: (amount) => together(failuresOf(amount), userNames),
    more: { peek: { path: `/admin/sign-ins/failures?peek=${idOf('fai', 0)}` } },
  },
  {
    pattern: '/admin/event-chain',
    answers: verified,
    steps: [press('.page-actions .button-primary')],
    more: { start: { steps: [] } },
  },
]
