import { organizationContract } from '../../../src/organizations/contract.ts'
import { groups } from '../../console/groups.ts'
import { settings } from '../made-up.ts'
import type { Answers, Step } from '../state.ts'
import { refused, unreachable, waiting } from '../state.ts'
import type { Access } from './access.ts'
import { accessAnswer, accessOf, accessWithout } from './access.ts'
import type { ScreenCase } from './case.ts'
import { agoOf, amounts, companyOf, idOf, slugOf, times } from './made-up.ts'
import { applicationCases } from './screens/applications.ts'
import { billingCases } from './screens/billing.ts'
import { historyCases } from './screens/history.ts'
import { mailCases } from './screens/mail.ts'
import { organizationCases } from './screens/organizations.ts'
import { overviewCases } from './screens/overview.ts'
import { peopleCases } from './screens/people.ts'
import { systemCases } from './screens/system.ts'
import { waysCases } from './screens/ways.ts'
import { says, together } from './typed.ts'

/** A state of a console screen, with the server's answers. */
export interface ConsoleState {
  /** The name of the state, with its screen: `console/users/many`. */
  readonly id: string
  /** The screen's path in `groups.ts`. Undefined for a page that replaces the console. */
  readonly pattern?: string
  readonly path: string
  readonly answers: Answers
  readonly steps: readonly Step[]
}

export const cases: readonly ScreenCase[] = [
  ...overviewCases,
  ...peopleCases,
  ...organizationCases,
  ...applicationCases,
  ...waysCases,
  ...billingCases,
  ...mailCases,
  ...historyCases,
  ...systemCases,
]

/** States that all screens have: amounts of data, roles of the person, and errors. */
export const kinds = [...amounts, 'read-only', 'no-right', 'error', 'unreachable'] as const

const failure = refused(500, 'INTERNAL_SERVER_ERROR', { 'x-request-id': '0192f3c4-5d6e-7f80-9a1b-3c4d5e6f7a8b' })

const failing = (answers: Answers, how: unknown): Answers => Object.fromEntries(Object.keys(answers).map((call) => [call, how]))

/** The permission of each screen, by its path in `groups.ts`. */
export const permissionOf = (pattern: string) => {
  const found = groups
    .flatMap(({ screens }) => screens)
    .find(({ path, details = [] }) => [path, ...details.map((one) => one.path)].includes(pattern))
  if (found === undefined) throw new Error(`there is no screen ${pattern}`)
  return found.permission
}

const seenBy = (access: Access, answers: Answers): Answers => ({
  'GET /hosted/settings': settings,
  // The stream sends no events while a state is shown.
  'GET /admin/events/stream': waiting,
  ...answers,
  ...accessAnswer(access),
})

/** The path as a name: `/admin/users/:id` becomes `users.id`. */
const nameOf = (pattern: string) =>
  pattern
    .replace('/admin/', '')
    .replaceAll(/[/:~]+/g, '.')
    .replace(/^\./, '')

const statesOf = ({
  pattern,
  path = pattern,
  paths = {},
  answers,
  steps = [],
  more = {},
}: ScreenCase): readonly ConsoleState[] => {
  const administrator = accessOf(['admin'])
  const state = (kind: string, given: Answers, its: Partial<ConsoleState> = {}): ConsoleState => ({
    id: `console/${nameOf(pattern)}/${kind}`,
    ...{ pattern, path, steps, answers: given },
    ...its,
  })
  return [
    ...amounts.map((amount) => state(amount, seenBy(administrator, answers(amount)), { path: paths[amount] ?? path })),
    state('read-only', seenBy(accessOf(['auditor']), answers('few'))),
    state('no-right', seenBy(accessWithout(permissionOf(pattern)), answers('few')), { steps: [] }),
    state('error', seenBy(administrator, { ...failing(answers('few'), failure), 'GET /hosted/settings': settings })),
    state('unreachable', seenBy(administrator, failing(answers('few'), unreachable))),
    ...Object.entries(more).map(([name, its]) =>
      state(name, seenBy(administrator, { ...answers('many'), ...its.answers }), {
        ...(its.path === undefined ? {} : { path: its.path }),
        ...(its.steps === undefined ? {} : { steps: its.steps }),
      }),
    ),
  ]
}

const member = { permissions: [], roles: accessOf([]).roles.map(({ name }) => ({ name, permissions: [] })) }
const ownOrganizations = (count: number): Answers =>
  says(
    organizationContract,
    'listOrganizations',
    times(count, (index) => ({
      id: idOf('org', index),
      name: companyOf(index),
      slug: slugOf(index),
      logo: null,
      metadata: null,
      createdAt: agoOf(index),
      requiresSecondFactor: false,
      role: index % 2 === 0 ? 'owner' : 'member',
    })),
  )

const outside = (id: string, answers: Answers, path = '/admin'): ConsoleState => ({
  id: `console/${id}`,
  path,
  answers,
  steps: [],
})

/** States of pages that replace the console, and of the frame around every screen. */
const others: readonly ConsoleState[] = [
  outside('no-access', together(accessAnswer(accessOf(['user'], member)), ownOrganizations(0))),
  outside('no-access/owner', together(accessAnswer(accessOf(['user'], member)), ownOrganizations(2))),
  outside('no-access/many', together(accessAnswer(accessOf(['user'], member)), ownOrganizations(6))),
  outside(
    'no-access/second-factor',
    together(accessAnswer(accessOf(['admin'], { ...member, lacksSecondFactor: true })), ownOrganizations(1)),
  ),
  outside('unreachable', { 'GET /admin/access': unreachable }),
  outside('failed', { 'GET /admin/access': failure }),
  outside('not-found', seenBy(accessOf(['admin']), {}), '/admin/nowhere'),
  outside(
    'impersonated',
    together(accessAnswer(accessOf(['user'], { ...member, impersonatedBy: 'usr001' })), ownOrganizations(2)),
  ),
]

/** Every state of every screen of the console. */
export const consoleStates: readonly ConsoleState[] = [...cases.flatMap(statesOf), ...others]

export const consoleStateOf = (id: string): ConsoleState | undefined => consoleStates.find((state) => state.id === id)
