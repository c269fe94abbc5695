import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { Names, Reference } from '../../access/names.ts'
import type { Principal } from '../../access/principal.ts'
import type { Audit } from '../../audit/index.ts'
import type { Core } from '../../core/core.ts'
import type { Total } from '../../core/db/count.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import { networkOf } from '../../core/network.ts'
import { cursorOf, placedPage } from '../../core/page.ts'
import { daySeconds } from '../../core/time.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { FailureQuery, SignInFailures, StoredFailure } from '../failures/index.ts'
import type { ExplainSignIn, failureList, SignInEntry, SignInExplanation } from './contract.ts'
import { clientIdOf, sentenceOf } from './event-texts.ts'
import { detailOf, meaningOf } from './reasons.ts'
import type { Verdicts } from './verdict.ts'
import { say } from './verdict-texts.ts'

type Query = z.output<typeof ExplainSignIn>
type NamedEntry = z.output<typeof SignInEntry>
/** An entry to which no names were added yet. `by` identifies the actor of an event. */
type Entry = Omit<NamedEntry, 'user' | 'actor' | 'application'> & { readonly by: Reference | null }
type Verdict = z.output<typeof SignInExplanation>['verdict']
type EventQuery = Parameters<Audit['list']>[0]
type ShownEvent = Awaited<ReturnType<Audit['list']>>[number]

/** Explains why users cannot sign in. */
export interface Explanations {
  /** Explains the sign-ins of a user, a mail address, a network address or a request. Throws FORBIDDEN, INVALID_EMAIL and USER_NOT_FOUND. */
  explain(principal: Principal, query: Query): Promise<z.output<typeof SignInExplanation>>
  /**
   * A page of failed attempts of all people. If `user` is given, as id, mail address or user name, only the attempts of this user are
   * listed. Throws FORBIDDEN and USER_NOT_FOUND.
   */
  listFailures(
    principal: Principal,
    query: z.output<typeof failureList.query> & { readonly user?: string | undefined },
  ): Promise<{ readonly rows: readonly NamedEntry[]; readonly next: string | null; readonly total: Total | null }>
}

interface Deps extends Pick<Core, 'db' | 'clock' | 'remedies'> {
  readonly names: Names
  readonly users: Users
  readonly audit: Audit
  readonly signInFailures: SignInFailures
  readonly verdicts: Verdicts
  readonly attempts: Pick<Attempts, 'pendingOf'>
}

/** The default length in days of the period to explain. */
const usualDays = 7
/** The largest number of failed attempts in an explanation, and the largest number of events. */
const longest = 200
/** The largest number of networks whose sums of attempts an explanation reads. */
const mostNetworks = 5

/** Sorts entries by time. An event comes before a failed attempt with an equal time, because the event may have caused the failure. */
const inTime = (a: Entry, b: Entry): number =>
  a.at.getTime() - b.at.getTime() || a.kind.localeCompare(b.kind) || (a.id < b.id ? -1 : 1)

/** The person whose sign-ins are explained. All members are undefined if the query names no person. */
interface Person {
  readonly user: User | undefined
  /** The id of the user. The user may have been deleted. */
  readonly userId: string | undefined
  readonly email: string | undefined
}

const findPerson = async ({ db, users, audit }: Deps, { user: name, email }: Query): Promise<Person> => {
  if (email !== undefined) {
    const address = users.requireEmail(email)
    const user = await users.findByEmail(db, address)
    return { user, userId: user?.id, email: address }
  }
  if (name === undefined) return { user: undefined, userId: undefined, email: undefined }
  try {
    const user = await users.require(db, name)
    return { user, userId: user.id, email: user.email }
  } catch (error) {
    const isDeleted = error instanceof AppError && !name.includes('@') && (await audit.list({ subject: name }, 1)).length > 0
    if (!isDeleted) throw error
    return { user: undefined, userId: name, email: undefined }
  }
}

const entryOfFailure = ({ remedies }: Deps, failure: StoredFailure, named: string | undefined): Entry => {
  const { occurredAt: at, reason: what, code, ...same } = failure
  const { text, rule, remedy } = meaningOf(failure, { remedies, user: named ?? same.userId ?? undefined })
  const { lastAt, attempts, userId, provider, clientId, address, userAgent, requestId } = same
  return {
    ...{ id: failure.id, at, lastAt, attempts, kind: 'failure', what, text, rule, remedy },
    ...{ detail: detailOf(failure), by: null, said: null, reason: null },
    ...{ code: code === '' ? null : code, userId, provider, clientId, address, userAgent, requestId },
  }
}

const entryOfEvent = (event: ShownEvent): Entry | undefined => {
  const sentence = sentenceOf(event)
  if (sentence === undefined) return undefined
  // The sentence about a ban contains the reason already.
  const reason = event.data['reason'] === event.reason ? null : event.reason
  const text = reason === null ? sentence.text : `${sentence.text} Reason: ${reason}`
  const { occurredAt: at, type: what, subjectType, subjectId, address, userAgent, requestId } = event
  return {
    ...{
      id: event.id,
      at,
      lastAt: at,
      attempts: 1,
      kind: 'event',
      what,
      text,
      detail: null,
      rule: null,
      remedy: null,
      code: null,
    },
    ...{ said: { code: sentence.code, values: sentence.values }, reason },
    ...{ userId: subjectType === 'user' ? subjectId : null, provider: null, clientId: clientIdOf(event) },
    ...{ address, userAgent, requestId, by: { kind: event.actorKind, id: event.actorId } },
  }
}

const nameEntries = async ({ names }: Deps, principal: Principal, entries: readonly Entry[]): Promise<NamedEntry[]> => {
  const named = await names.add(principal, entries, ({ userId, clientId, by }) => ({
    user: userId === null ? null : { kind: 'user', id: userId },
    actor: by,
    application: clientId === null ? null : { kind: 'client', id: clientId },
  }))
  return named.map(({ by: _, ...entry }) => entry)
}

/** Reads sums of attempts that belong to no person, in the networks of the failed attempts that were found before. */
const countedIn = async (
  { db, signInFailures }: Deps,
  addresses: readonly string[],
  since: Date,
): Promise<readonly StoredFailure[]> => {
  const networks = [...new Set(addresses.map(networkOf))].filter((network) => network !== '').slice(0, mostNetworks)
  const found = await Promise.all(networks.map((address) => signInFailures.find(db, { address }, since, longest)))
  return found.flat().filter(({ userId }) => userId === null)
}

const readFailures = async (deps: Deps, query: FailureQuery, since: Date, isNarrow: (one: StoredFailure) => boolean) => {
  const { db, signInFailures } = deps
  const found = (await signInFailures.find(db, query, since, longest)).filter(isNarrow)
  const addresses = query.address === undefined ? found.map(({ address }) => address) : [query.address]
  const counted = query.requestId === undefined ? await countedIn(deps, addresses, since) : []
  return [...new Map([...found, ...counted].map((one) => [one.id, one])).values()]
}

/**
 * Reads the pending and abandoned sign-ins of the person. They have no network address, so they are left out if the query names a network
 * address.
 */
const readWaiting = async (
  { db, clock, attempts }: Deps,
  { userId }: Person,
  { address, request }: Query,
  since: Date,
): Promise<readonly StoredFailure[]> => {
  if (userId === undefined || address !== undefined || request !== undefined) return []
  const now = clock.now()
  return (await attempts.pendingOf(db, userId)).flatMap(({ id, given, mustEnrol, createdAt: at, expiresAt }) => {
    const asked = mustEnrol ? 'a second factor had to be added' : 'a second factor was asked for'
    const detail = { given: given.join(', '), asked, until: expiresAt.toISOString() }
    const row = {
      ...{ id, userId, occurredAt: at, lastAt: at, attempts: 1, method: 'second-factor' as const, code: '', detail },
      ...{ provider: null, clientId: null, address: '', userAgent: '', requestId: '' },
      reason: expiresAt > now ? ('second-step-pending' as const) : ('second-step-abandoned' as const),
    }
    return at < since ? [] : [row]
  })
}

const readEvents = async (
  { audit }: Deps,
  { userId }: Person,
  { address, request, client }: Query,
  since: Date,
  isNobody: boolean,
) => {
  const queries: EventQuery[] = []
  if (request !== undefined) queries.push({ request, since })
  else if (userId !== undefined) queries.push({ subject: userId, since, address })
  else if (address !== undefined && !isNobody) queries.push({ address, since })
  if (client !== undefined && request === undefined) queries.push({ subject: client, type: 'client.*', since })
  return (await Promise.all(queries.map((query) => audit.list(query, longest)))).flat()
}

const verdictOf = async ({ db, users, verdicts }: Deps, person: Person, query: Query, entries: readonly Entry[]) => {
  const unknown: Verdict = { outcome: 'unknown', ...say('unknown'), obstacles: [] }
  if (person.user === undefined && person.userId !== undefined)
    return { account: null, verdict: { ...unknown, outcome: 'no-account' as const, ...say('account-deleted') } }
  if (person.user === undefined && person.email !== undefined)
    return { account: null, verdict: verdicts.ofUnknownAddress(person.email) }
  const ids = new Set(entries.flatMap(({ userId }) => userId ?? []))
  const [only] = ids
  const user = person.user ?? (ids.size === 1 && only !== undefined ? await users.find(db, only) : undefined)
  if (user === undefined) return { account: null, verdict: unknown }
  const account = await verdicts.accountOf(user)
  return { account, verdict: await verdicts.of(user, account, query.client) }
}

const listFailures = (deps: Deps): Explanations['listFailures'] => {
  const { db, signInFailures } = deps
  return async (principal, { user, userId: id, address, clientId, reason, method, provider, since, until, ...query }) => {
    if (!can(principal, 'sign-ins:read')) throw coreErrors.error('FORBIDDEN')
    await signInFailures.settled()
    const userId = user === undefined ? id : (await findPerson(deps, { user })).userId
    const filter = { userId, address, clientId, reason, method, provider, since, until }
    const { rows, next, total } = placedPage(query, await signInFailures.list(db, filter, cursorOf(query)))
    const entries = rows.map((failure) => entryOfFailure(deps, failure, undefined))
    return { rows: await nameEntries(deps, principal, entries), next, total }
  }
}

const explain = (deps: Deps): Explanations['explain'] => {
  const { clock, signInFailures } = deps
  return async (principal, query) => {
    if (!can(principal, 'sign-ins:read')) throw coreErrors.error('FORBIDDEN')
    const since = query.since ?? clock.after(-usualDays * daySeconds)
    const person = await findPerson(deps, query)
    await signInFailures.settled()
    const { address, request: requestId, client } = query
    const isNobody = query.email !== undefined && person.user === undefined
    const { userId, email } = person
    const isOf = (one: { readonly clientId: string | null; readonly address: string }) =>
      (client === undefined || one.clientId === null || one.clientId === client) &&
      (address === undefined || one.address === address || one.address === networkOf(address))
    const failures = await readFailures(deps, { userId, email, address, requestId }, since, isOf)
    const events = await readEvents(deps, person, query, since, isNobody)
    const waiting = await readWaiting(deps, person, query, since)
    const isOfPerson = (entry: Entry) => requestId === undefined || userId === undefined || entry.userId === userId
    const all = [
      ...[...failures, ...waiting].map((failure) => entryOfFailure(deps, failure, person.user?.email)),
      ...events
        .flatMap((event) => entryOfEvent(event) ?? [])
        .filter(({ clientId }) => client === undefined || clientId === null || clientId === client),
    ]
      .filter(isOfPerson)
      .sort(inTime)
    const { account, verdict } = await verdictOf(deps, person, query, all)
    const isCut = failures.length >= longest || events.length >= longest
    const entries = await nameEntries(deps, principal, all.slice(-longest))
    return { since, account, entries, isCut: isCut || all.length > longest, verdict }
  }
}

export const createExplanations = (deps: Deps): Explanations => {
  return {
    listFailures: listFailures(deps),
    explain: explain(deps),
  }
}
