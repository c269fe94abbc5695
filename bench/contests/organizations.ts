import { cookieHeader, requestText } from '../load/browser.ts'
import type { Target } from '../targets/targets.ts'
import { both, type Contest, check, type Prepare } from './contest.ts'
import { signIn } from './sessions.ts'
import { joinMeasured, measured } from './tenants.ts'

/** Beside the measured one, where growth is not the question. */
const few = 1000

/** A read of the measured organization, and whether the answer is all there is. */
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

/** Every answer is the same as the first, which is looked at closely. */
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

/** Reads of an organization of 100 members: beside the floor, and of the same among many organizations beside among few. */
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
      // At most 1.2 times the work.
      rivals: [{ label: `of ${few.toLocaleString('en-US')}`, target: 'gatehouse', goal: both(0.834) }],
      onlyWhenNamed: true,
    }),
  ),
]
