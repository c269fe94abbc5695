import { cookieHeader, requestText } from '../load/browser.ts'
import type { Target } from '../targets/targets.ts'
import { both, type Contest, check, type Prepare } from './contest.ts'
import { signIn } from './sessions.ts'
import { joinMeasured, measured } from './tenants.ts'

/** Number of other organizations in contests that do not measure growth. */
const few = 1000

/** A read of the measured organization, and a check that the answer is complete. */
interface Read {
  readonly path: string
  readonly isWhole: (body: unknown) => boolean
}

const has = (list: unknown, count: number) => Array.isArray(list) && list.length === count
const field = (body: unknown, name: string): unknown => (body as Record<string, unknown> | null)?.[name]

const listMembers: Read = {
  path: 'list-members',
  isWhole: (body) => has(field(body, 'members'), measured.members) && field(body, 'total') === measured.members,
}

const reads: readonly Read[] = [
  listMembers,
  { path: 'list-invitations', isWhole: (body) => has(body, measured.invitations) },
  { path: 'list-teams', isWhole: (body) => has(body, measured.teams) },
  {
    path: 'get-full-organization',
    isWhole: (body) =>
      has(field(body, 'members'), measured.members) &&
      has(field(body, 'invitations'), measured.invitations) &&
      has(field(body, 'teams'), measured.teams),
  },
]

/** Checks the first answer in detail. Every later answer must be equal to it. */
const reading =
  ({ path, isWhole }: Read, othersOf: (target: Target) => number): Prepare =>
  async (target, index) => {
    const browser = await signIn(target, index)
    const session = await browser.get('/get-session')
    await joinMeasured(target, JSON.parse(session.body).session.userId, othersOf(target))
    const address = `/organization/${path}?organizationId=${measured.id}`
    const request = requestText('GET', target.origin, address, cookieHeader(browser.cookies))
    let whole: string | undefined
    return {
      act: async () => {
        const answer = await browser.send(request)
        if (whole === undefined && answer.status === 200 && isWhole(JSON.parse(answer.body))) whole = answer.body
        check(answer.status === 200 && answer.body === whole, answer)
      },
      close: browser.close,
    }
  }

/**
 * Reads of an organization with 100 members. One contest compares them with the floor. The growth contests compare them among many and
 * among few other organizations.
 */
export const organizationContests = (many: number): readonly Contest[] => [
  {
    name: 'list 100 members',
    prepare: reading(listMembers, () => few),
    rivals: [{ label: 'floor', target: 'floor', goal: { sqlite: 0.85, postgres: 0.65 } }],
  },
  ...reads.map(
    (read): Contest => ({
      name: `growth: ${read.path}, of ${many.toLocaleString('en-US')}`,
      own: 'grown',
      prepare: reading(read, ({ name }) => (name === 'grown' ? many : few)),
      // The goal allows 1.2 times the processor time.
      rivals: [{ label: `of ${few.toLocaleString('en-US')}`, target: 'gatehouse', goal: both(0.834) }],
      onlyWhenNamed: true,
    }),
  ),
]
