import { z } from 'zod'
import { type Principal, systemPrincipal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Total } from '../core/db/count.ts'
import { lockName, type Tx } from '../core/db/database.ts'
import { isPlainName } from '../core/language.ts'
import { cursorOf, placedPage } from '../core/page.ts'
import { FinalTaskError, type ListedTask, type TaskKind, type TaskStatus } from '../core/queue.ts'
import { daySeconds, hourMs } from '../core/time.ts'
import { parseEmail } from '../core/wire.ts'
import type { Tally } from '../statistics/index.ts'
import type { MailConfig } from './config.ts'
import { type MailQuery, mailErrors, mailEvents } from './contract.ts'
import type { PackedFrame } from './inline.ts'
import { testMail } from './mails.ts'
import { DeliveryError, type Mailbox, type MailState, mailStates } from './rules.ts'
import type { MailContent } from './template.ts'
import type { SmtpSession, Transport } from './transport.ts'

/** A mail that a feature wants to send. `kind` says what it is for. */
export interface NewMail {
  readonly to: Mailbox
  readonly kind: string
  readonly content: MailContent
  /**
   * Who requested the mail. Absent for a notice about a change. Notices have a high limit of their own, so that nobody can prevent a
   * notice by requesting other mails.
   */
  readonly requester?: Requester
}

/** Who requested a mail to an email address. Each requester has a limit, and there is a limit for all requesters together. */
export interface Requester {
  readonly key: string
  /** True for a browser that has signed in to the account before. Requests from other browsers do not count against its limit. */
  readonly isKnown: boolean
  /** True if no limit applies. The recipient has a right to this mail, and no other way to get what it contains. */
  readonly isDue?: boolean
}

/** What is known about a mail in the outbox. The content is not included. */
export interface MailInfo {
  /** The id of the mail. The header Message-ID contains it. */
  readonly id: string
  readonly kind: string
  readonly toAddress: string
  readonly state: MailState
  readonly attempts: number
  readonly lastError: string | null
  readonly createdAt: Date
  /** When the mail is tried next. Null if it is not tried again. */
  readonly nextAttemptAt: Date | null
}

export interface Mail {
  /**
   * Puts a mail into the outbox. It is sent after the transaction has been committed, and never after a rollback. Returns false if the
   * limit for the email address is reached. The mail is then not sent.
   */
  enqueue(tx: Tx, mail: NewMail): Promise<boolean>
  /** Returns the newest mails in the outbox, in one state or in any. */
  list(state: MailState | undefined, limit: number): Promise<readonly MailInfo[]>
  /** Sends a test mail immediately, without the outbox. Returns the response of the mail server. */
  sendTest(address: string): Promise<{ readonly accepted: boolean; readonly answer: string }>
  /** Sends a test mail and records an audit event about it. Without an address, the mail goes to the caller. Throws MAIL_ADDRESS_MISSING. */
  tryOut(
    principal: Principal,
    address: string | undefined,
  ): Promise<{ readonly address: string; readonly accepted: boolean; readonly answer: string }>
  /** Returns a page of the mails in the outbox. */
  page(
    query: MailQuery,
  ): Promise<{ readonly rows: readonly MailInfo[]; readonly next: string | null; readonly total: Total | null }>
  /** Sends a failed mail again. Throws MAIL_NOT_FOUND. */
  requeue(principal: Principal, id: string): Promise<MailInfo>
}

interface Deps extends Core {
  readonly config: MailConfig['mail']
  readonly transport: Transport
  readonly publicUrl: string
  /** Returns the frame with the brand at the time when a mail is sent. */
  readonly frame: () => Promise<PackedFrame>
  /** True if the number of mails to an email address is limited (security baseline, section 7; docs/design/operations.md#mail). */
  readonly isLimited: boolean
  readonly tally?: Tally | undefined
}

/** How many mails a node delivers at the same time. */
const atOnce = 4
const longestWaitSeconds = 3_600

/**
 * How many seconds a node has for one delivery before another node takes over. This is longer than any delivery takes, and also covers a
 * difference between clocks.
 */
const leaseSeconds = (timeoutSeconds: number) => timeoutSeconds * 2 + 60

const knownPrefix = 'known:'
/** The stored key of a requester. It has at most 64 characters. */
const keyOf = ({ key, isKnown }: Requester) => (isKnown ? `${knownPrefix}${key.slice(0, 58)}` : key)

/** The part of a task that is stored sealed, because links in mails contain tokens. */
const Payload = z.object({
  to: z.object({ name: z.string(), address: z.string() }),
  kind: z.string(),
  content: z.custom<MailContent>((value) => typeof value === 'object'),
})
/** The part of a task that is stored in plain text. Lists and limits need it. */
const Details = z.object({ to: z.string(), kind: z.string(), requester: z.string().nullable() })

const statesOf: Readonly<Record<MailState, readonly TaskStatus[]>> = {
  pending: ['pending', 'running'],
  sent: ['done'],
  failed: ['dead'],
}
const stateOf = (status: TaskStatus) => mailStates.find((state) => statesOf[state].includes(status)) ?? 'pending'

/** Parses the plain part of a stored task for lists. If its form is unknown, the row is shown without it, so that the list does not fail. */
const Shown = Details.catch({ to: '', kind: '', requester: null })

const infoOf = ({ id, details, status, attempts, lastError, createdAt, dueAt }: ListedTask): MailInfo => {
  const { to, kind } = Shown.parse(details)
  const nextAttemptAt = status === 'pending' ? dueAt : null
  return { id, kind, toAddress: to, state: stateOf(status), attempts, lastError, createdAt, nextAttemptAt }
}

/** Shares one connection to the mail server among simultaneous mails. It is closed after the last one. */
const shareSession = (transport: Transport) => {
  let shared: Promise<SmtpSession> | undefined
  let users = 0
  return async <T>(work: (session: SmtpSession) => Promise<T>): Promise<T> => {
    shared ??= transport()
    const session = shared
    users += 1
    try {
      return await work(await session)
    } finally {
      users -= 1
      if (users === 0) {
        shared = undefined
        session.then((open) => open.close()).catch(() => undefined)
      }
    }
  }
}

/** How many seconds a node pauses when it cannot use the mail server: at first, and at most. */
const [firstPauseSeconds, longestPauseSeconds] = [5, 300]

/**
 * Pauses the mails of a node while the mail server cannot be used. During that time, only one mail at a time is tried, after pauses that
 * double each time. Otherwise every mail would connect and use up its attempts. The server could also lock gatehouse out after many
 * sign-ins with a wrong password.
 */
const createPause = ({ clock, log }: Pick<Core, 'clock' | 'log'>, firstSeconds: number) => {
  let failures = 0
  let failedAt = 0
  let pauseMs = 0
  const now = () => clock.now().getTime()
  return {
    // If the clock was set back, the pause is not longer than usual.
    capacity: () => (failures === 0 ? atOnce : Math.abs(now() - failedAt) < pauseMs ? 0 : 1),
    /** Runs one delivery, and adjusts the pause to its result. */
    during: async <T>(deliver: () => Promise<T>): Promise<T> => {
      const begunAt = now()
      try {
        const result = await deliver()
        failures = 0
        return result
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error
        if (!error.isServerAway) failures = 0
        // If mails that ran at the same time all fail, they fail for one reason. Only the first failure makes the pause longer.
        else if (failures === 0 || begunAt > failedAt || failedAt > now()) {
          failures += 1
          failedAt = now()
          pauseMs = Math.min(firstSeconds * 2 ** (failures - 1), longestPauseSeconds) * 1000
          log.warn({ reason: error.message, seconds: pauseMs / 1000 }, 'the mail server cannot be used: mails wait')
        }
        throw error
      }
    },
  }
}

/**
 * Sends mails as tasks of the queue. A node may die after the server has accepted a mail and before the task has ended. The mail is then
 * sent again with the same Message-ID. Ending the task before sending would avoid this, but mails could be lost.
 */
export const createMail = (deps: Deps): { readonly mail: Mail; readonly sending: TaskKind<unknown> } => {
  const { db, transact, queue, clock, random, log, events, config, transport, publicUrl, frame, isLimited, tally } = deps
  const withSession = shareSession(transport)
  const pause = createPause(deps, Math.min(config.retrySeconds, firstPauseSeconds))

  const sending: TaskKind<z.output<typeof Payload>> = {
    kind: 'mail.send',
    payload: Payload,
    isSealed: true,
    maxAttempts: config.maxAttempts,
    backOffSeconds: [config.retrySeconds, longestWaitSeconds],
    leaseSeconds: leaseSeconds(config.timeoutSeconds),
    concurrency: atOnce,
    capacity: pause.capacity,
    keepDoneSeconds: config.keepSentDays * daySeconds,
    keepDeadSeconds: config.keepFailedDays * daySeconds,
    handle: async ({ id, createdAt, payload: { to, kind, content } }) => {
      const packed = await frame()
      const deliver = () => withSession((session) => session.send({ id, kind, createdAt, to, content, packed }))
      await pause.during(deliver).catch((error: unknown) => {
        throw error instanceof DeliveryError && error.isFinal ? new FinalTaskError(error.message) : error
      })
      log.debug({ mail: id, kind }, 'mail sent')
      tally?.count('mails', 'sent')
      return undefined
    },
    onDead: (tx, { id, attempts, details }) =>
      events.record(tx, systemPrincipal(random.requestId()), mailEvents['mail.given_up'], {
        subject: id,
        data: { kind: Details.parse(details).kind, attempts },
      }),
  }

  /**
   * Mails are counted by kind and address. Invitations therefore do not use up the limit for reset links, and one kind of notice does not
   * use up the limit of another kind.
   */
  const labelOf = ({ to, kind }: NewMail) => `${kind} ${to.address}`

  const isTooMany = async (tx: Tx, mail: NewMail): Promise<boolean> => {
    const { requester } = mail
    if (!isLimited || requester?.isDue === true) return false
    // With the lock, requests at the same time see the mails that the others have counted.
    await lockName(tx, `mail:${mail.to.address}`)
    const since = new Date(clock.now().getTime() - hourMs)
    const requesters = (await queue.listDetails(tx, sending.kind, labelOf(mail), since)).map(
      (details) => Details.parse(details).requester,
    )
    if (requester === undefined) return requesters.filter((key) => key === null).length >= config.noticesPerHour
    const alike = requesters.filter((key) => key?.startsWith(knownPrefix) === requester.isKnown)
    return (
      alike.length >= config.requestsPerHour ||
      alike.filter((key) => key === keyOf(requester)).length >= config.requestsPerAskerAndHour
    )
  }

  const sendTest: Mail['sendTest'] = async (address) => {
    try {
      const test = {
        kind: 'test',
        createdAt: clock.now(),
        to: { name: '', address },
        content: testMail(publicUrl),
        packed: await frame(),
      }
      return { accepted: true, answer: await withSession((session) => session.send({ id: random.id(), ...test })) }
    } catch (error) {
      // The server's response. If there was none, the reason.
      const { response, message } = error as DeliveryError
      return { accepted: false, answer: response ?? message }
    }
  }

  const mail: Mail = {
    enqueue: async (tx, mail) => {
      if (await isTooMany(tx, mail)) {
        log.warn({ kind: mail.kind }, 'mail not sent: too many to this address within an hour')
        return false
      }
      const { to, kind, content, requester } = mail
      await queue.enqueue(tx, sending, {
        payload: { to: { name: isPlainName(to.name) ? to.name : '', address: to.address }, kind, content },
        label: labelOf(mail),
        details: { to: to.address, kind, requester: requester === undefined ? null : keyOf(requester) },
      })
      return true
    },
    list: async (state, limit) =>
      (await queue.list(db, { kind: sending.kind, status: state && statesOf[state] }, limit)).map(infoOf),
    page: async ({ state, kind, address, createdSince, createdUntil, ...query }) => {
      const filter = { kind: sending.kind, status: state && statesOf[state], word: kind, createdSince, createdUntil }
      // The address is normalized as users' addresses are. An invalid address becomes an empty text, for which no mail exists.
      const about = address === undefined ? undefined : (parseEmail(address) ?? '')
      const { rows, next, total } = placedPage(query, await queue.page(db, { ...filter, about }, cursorOf(query)))
      return { rows: rows.map(infoOf), next, total }
    },
    sendTest,
    tryOut: async (principal, given) => {
      const address = given ?? (principal.kind === 'user' ? principal.user.email : undefined)
      if (address === undefined) throw mailErrors.error('MAIL_ADDRESS_MISSING')
      const sent = await sendTest(address)
      await transact((tx) =>
        events.record(tx, principal, mailEvents['mail.test_sent'], {
          subject: 'test',
          data: { isAccepted: sent.accepted },
        }),
      )
      return { address, ...sent }
    },
    requeue: (principal, id) =>
      transact(async (tx) => {
        const task = (await queue.requeue(tx, id, sending.kind)) ? await queue.find(tx, id) : undefined
        if (task === undefined) throw mailErrors.error('MAIL_NOT_FOUND')
        await events.record(tx, principal, mailEvents['mail.retried'], { subject: id, data: {} })
        return infoOf(task)
      }),
  }
  return { mail, sending }
}
