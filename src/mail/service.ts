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

/** A mail of a feature. `kind` names its purpose. */
export interface NewMail {
  readonly to: Mailbox
  readonly kind: string
  readonly content: MailContent
  /**
   * Who requested the mail. Absent for a notice about a change: notices have a wide limit of their own, so that requests for other mails
   * cannot suppress one.
   */
  readonly requester?: Requester
}

/** Who requested a mail to an address. Each requester has a limit, and all requesters together have another. */
export interface Requester {
  readonly key: string
  /** True for a browser that has signed in to the account before. Other requesters do not use up its limit. */
  readonly isKnown: boolean
  /** True if no limit applies, because the recipient has a right to the mail and no other way to get it. */
  readonly isDue?: boolean
}

/** A mail without its content. */
export interface MailInfo {
  /** The id, from which the Message-ID of the mail is made. */
  readonly id: string
  readonly kind: string
  readonly toAddress: string
  readonly state: MailState
  readonly attempts: number
  readonly lastError: string | null
  readonly createdAt: Date
  /** Time of the next attempt, or null. */
  readonly nextAttemptAt: Date | null
}

export interface Mail {
  /**
   * Puts a mail into the outbox. It is sent after the commit, and never after a rollback. Returns false if the limit for the address is
   * reached; the mail is then not sent.
   */
  enqueue(tx: Tx, mail: NewMail): Promise<boolean>
  /** The newest mails in the outbox, in one state or in all. */
  list(state: MailState | undefined, limit: number): Promise<readonly MailInfo[]>
  /** Sends a mail without the outbox and returns the mail server's answer. */
  sendTest(address: string): Promise<{ readonly accepted: boolean; readonly answer: string }>
  /** Sends a test mail and records it. Without an address, the caller gets the mail. Throws MAIL_ADDRESS_MISSING. */
  tryOut(
    principal: Principal,
    address: string | undefined,
  ): Promise<{ readonly address: string; readonly accepted: boolean; readonly answer: string }>
  /** A page of mails. */
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
  /** The brand as it is when the mail is sent. */
  readonly frame: () => Promise<PackedFrame>
  /** True if mails to an address are limited (security baseline, section 7; docs/design/operations.md#mail). */
  readonly isLimited: boolean
  readonly tally?: Tally | undefined
}

/** Number of mails that a node delivers at the same time. */
const atOnce = 4
const longestWaitSeconds = 3_600

/** Longer than any delivery and the difference between two nodes' clocks. */
const leaseSeconds = (timeoutSeconds: number) => timeoutSeconds * 2 + 60

const knownPrefix = 'known:'
/** The key of a requester as it is stored, in 64 characters. */
const keyOf = ({ key, isKnown }: Requester) => (isKnown ? `${knownPrefix}${key.slice(0, 58)}` : key)

/** The sealed part of a task. It is sealed because links contain tokens. */
const Payload = z.object({
  to: z.object({ name: z.string(), address: z.string() }),
  kind: z.string(),
  content: z.custom<MailContent>((value) => typeof value === 'object'),
})
/** The part of a task in plain text, for lists and limits. */
const Details = z.object({ to: z.string(), kind: z.string(), requester: z.string().nullable() })

const statesOf: Readonly<Record<MailState, readonly TaskStatus[]>> = {
  pending: ['pending', 'running'],
  sent: ['done'],
  failed: ['dead'],
}
const stateOf = (status: TaskStatus) => mailStates.find((state) => statesOf[state].includes(status)) ?? 'pending'

/** A row with details in another form must not make the list fail. */
const Shown = Details.catch({ to: '', kind: '', requester: null })

const infoOf = ({ id, details, status, attempts, lastError, createdAt, dueAt }: ListedTask): MailInfo => {
  const { to, kind } = Shown.parse(details)
  const nextAttemptAt = status === 'pending' ? dueAt : null
  return { id, kind, toAddress: to, state: stateOf(status), attempts, lastError, createdAt, nextAttemptAt }
}

/** The connection to the mail server. Simultaneous mails share it, and it is closed after the last one. */
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

/** How long a node pauses after it has found the mail server unusable: the first pause, and the longest one. */
const [firstPauseSeconds, longestPauseSeconds] = [5, 300]

/**
 * Pauses a node's mails while the mail server is unusable. Meanwhile one mail is tried at a time, after pauses that double. Otherwise
 * every mail would make a connection and use up its attempts. With a wrong password, the server could also lock gatehouse out.
 */
const createPause = ({ clock, log }: Pick<Core, 'clock' | 'log'>, firstSeconds: number) => {
  let failures = 0
  let failedAt = 0
  let pauseMs = 0
  const now = () => clock.now().getTime()
  return {
    // If the clock was set back, the pause is not longer than usual.
    capacity: () => (failures === 0 ? atOnce : Math.abs(now() - failedAt) < pauseMs ? 0 : 1),
    /** Makes one delivery. */
    during: async <T>(deliver: () => Promise<T>): Promise<T> => {
      const begunAt = now()
      try {
        const result = await deliver()
        failures = 0
        return result
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error
        if (!error.isServerAway) failures = 0
        // Mails that ran at the same time failed for the same reason, so only the first failure counts.
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
 * Mails are tasks of the queue. If a node dies after the server accepted a mail and before its task ended, the mail is sent again with
 * the same Message-ID. If the task ended first, mails could be lost.
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
   * Mails are counted by kind and address. So invitations do not use up the limit for reset links, and one kind of notice does not use up
   * that of another.
   */
  const labelOf = ({ to, kind }: NewMail) => `${kind} ${to.address}`

  const isTooMany = async (tx: Tx, mail: NewMail): Promise<boolean> => {
    const { requester } = mail
    if (!isLimited || requester?.isDue === true) return false
    // The lock makes parallel requests see each other's counts.
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
      // The server's answer, or else the failure that prevented an answer.
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
      // Addresses are normalized like those of users. No mail belongs to an invalid address.
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
