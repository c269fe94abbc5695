import type { z } from 'zod'
import type { Audit } from '../../audit/index.ts'
import type { Core } from '../../core/core.ts'
import { daySeconds } from '../../core/time.ts'
import type { SignInFailures, StoredFailure } from '../failures/index.ts'
import type { OwnSignIn } from './contract.ts'

type Entry = z.output<typeof OwnSignIn>
type Method = Entry['methods'][number]
type Event = Awaited<ReturnType<Audit['list']>>[number]

/** The sign-ins of a user, for the user's own account page. */
export interface OwnSignIns {
  /** Lists the user's sign-ins and failed attempts. The newest comes first. */
  list(userId: string): Promise<Entry[]>
}

interface Deps extends Pick<Core, 'db' | 'clock'> {
  readonly audit: Audit
  readonly signInFailures: SignInFailures
}

const days = 30
const mostShown = 20
/** The number of events to read. It is larger than the number of entries, because renewals of sessions are left out. */
const mostRead = 60

const byAmr: Readonly<Record<string, Method>> = { pwd: 'password', otp: 'code', hwk: 'passkey', swk: 'passkey' }
const byFailure: Readonly<Record<string, Method>> = {
  ...{ password: 'password', passkey: 'passkey', 'second-factor': 'second-factor', provider: 'other', mail: 'other' },
}
const blocked: ReadonlySet<string> = new Set([
  'waiting',
  'locked',
  'network-limit',
  'second-factor-waiting',
  'second-factor-locked',
  'banned',
  'more',
])

const ofEvent = ({ id, occurredAt: at, data, address, userAgent }: Event): Entry => {
  const amr = Array.isArray(data['amr']) ? data['amr'].map(String) : []
  const methods = [...new Set(amr.flatMap((value) => byAmr[value] ?? []))]
  return { id, at, outcome: 'succeeded', methods: methods.length === 0 ? ['other'] : methods, attempts: 1, address, userAgent }
}

const ofFailure = ({ id, lastAt: at, method, reason, attempts, address, userAgent }: StoredFailure): Entry | undefined => {
  const given = byFailure[method]
  if (given === undefined) return undefined
  return { id, at, outcome: blocked.has(reason) ? 'blocked' : 'failed', methods: [given], attempts, address, userAgent }
}

export const createOwnSignIns = ({ db, clock, audit, signInFailures }: Deps): OwnSignIns => ({
  list: async (userId) => {
    const since = clock.after(-days * daySeconds)
    const [started, failed] = await Promise.all([
      audit.list({ subject: userId, type: 'session.started', since }, mostRead),
      signInFailures.find(db, { userId }, since, mostShown),
    ])
    return [
      ...started.filter(({ data }) => data['isRenewal'] !== true).map(ofEvent),
      ...failed.flatMap((failure) => ofFailure(failure) ?? []),
    ]
      .sort((a, b) => b.at.getTime() - a.at.getTime())
      .slice(0, mostShown)
  },
})
