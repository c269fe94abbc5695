import type { Clock } from '../core/clock.ts'
import type { Sealed, Secrets } from '../core/crypto.ts'
import { afterCommit, type Db, type Transact, type Tx } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import { isPlainName } from '../core/language.ts'
import type { Log } from '../core/log.ts'
import { sweep } from '../core/sweep.ts'
import type { MailConfig } from './config.ts'
import { mailErrors } from './errors.ts'
import { testMail } from './mails.ts'
import { type Mailbox, retryDelaySeconds } from './rules.ts'
import * as store from './store.ts'
import type { MailWords } from './template.ts'
import type { Courier, Transport } from './transport.ts'

/** A mail that a feature wants sent. `kind` names what it is for, in a word. */
export interface NewMail {
  readonly to: Mailbox
  readonly kind: string
  readonly words: MailWords
  /**
   * Who asked for it. Absent in a notice, which tells of something that has happened: notices have a wide limit of their own, so that
   * nobody keeps one from its recipient by asking for mails.
   */
  readonly asker?: Asker
}

/** Who asks for a mail to an address. Each asker has a count, and all of them together have one. */
export interface Asker {
  readonly key: string
  /** A browser that has signed in to the account before: strangers use up nothing of what such browsers may ask for. */
  readonly isKnown: boolean
  /** Not limited: the recipient has a right to the mail and no other one in its place. */
  readonly isDue?: boolean
}

export interface Mail {
  /**
   * Puts a mail into the outbox; it goes out once the transaction is committed, and never when it is rolled back. False when there were
   * too many to the address and it was left out.
   */
  enqueue(tx: Tx, mail: NewMail): Promise<boolean>
  /** The newest mails in the outbox, of one state or of all. */
  list(state: store.MailState | undefined, limit: number): Promise<readonly store.MailRow[]>
  /** Sends a mail past the outbox and tells what the mail server said of it. */
  sendTest(address: string): Promise<{ readonly accepted: boolean; readonly answer: string }>
  /** Tries a failed mail again. Throws MAIL_NOT_FOUND. */
  retry(id: string): Promise<void>
}

export interface Delivery {
  /** Delivers what is due, a batch at most; true when there may be more. */
  deliver(stop: AbortSignal): Promise<boolean>
  sweep(stop?: AbortSignal): Promise<void>
  /** Called whenever a mail was put into the outbox by this node. */
  onEnqueued(wake: () => void): void
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly secrets: Secrets
  readonly log: Log
  readonly config: MailConfig['mail']
  readonly transport: Transport
  readonly publicUrl: string
  /** Whether mails to one address are limited (security baseline, section 7; decision 0073). */
  readonly isLimited: boolean
}

const batch = 20
const atOnce = 4
const hourMs = 3_600_000
const dayMs = 86_400_000

/** Longer than a delivery can last, by more than two nodes' clocks may differ. */
const leaseSeconds = (timeoutSeconds: number) => timeoutSeconds * 2 + 60

const knownPrefix = 'known:'
/** As it is stored, in 64 characters. */
const keyOf = ({ key, isKnown }: Asker) => (isKnown ? `${knownPrefix}${key.slice(0, 58)}` : key)

/**
 * The outbox. One node at a time has a mail: `claim` is a conditional update, and the lease outlives the longest delivery. A node that
 * dies keeps nothing: the lease runs out and another one goes on. If it died between the server's acceptance and our note of it, the
 * mail goes out again under the same Message-ID; the other choice, noting first, would lose mails instead.
 */
export const createMail = (deps: Deps): Mail & Delivery => {
  const { db, transact, clock, entropy, secrets, log, config, transport, publicUrl, isLimited } = deps
  const listeners: (() => void)[] = []

  /** Each kind by itself: invitations use up no reset links, and one sort of notice no other. */
  const isTooMany = async (tx: Tx, { to, kind, asker }: NewMail): Promise<boolean> => {
    if (!isLimited || asker?.isDue === true) return false
    const askers = await store.listAskers(tx, to.address, kind, new Date(clock.now().getTime() - hourMs))
    if (asker === undefined) return askers.filter((key) => key === null).length >= config.noticesPerHour
    const alike = askers.filter((key) => key?.startsWith(knownPrefix) === asker.isKnown)
    return (
      alike.length >= config.requestsPerHour ||
      alike.filter((key) => key === keyOf(asker)).length >= config.requestsPerAskerAndHour
    )
  }

  const wake = () => {
    for (const listener of listeners) listener()
  }

  const attempt = async (courier: Courier, row: store.MailRow, body: Sealed) => {
    const { id, kind, createdAt, toName: name, toAddress: address } = row
    const words = JSON.parse(secrets.open(body, store.sealContext(id))) as MailWords
    await courier.send({ id, kind, createdAt, to: { name, address }, words })
  }

  const deliverOne = async (courier: Courier, row: store.MailRow) => {
    const { id, kind, body } = row
    const claimed = await transact((tx) => store.claimMail(tx, row, clock.after(leaseSeconds(config.timeoutSeconds))))
    if (!claimed || body === null) return
    const attempts = row.attempts + 1
    try {
      await attempt(courier, row, body)
    } catch (err) {
      const state = attempts >= config.maxAttempts ? 'failed' : 'pending'
      const lastError = (err instanceof Error ? err.message : String(err)).slice(0, 500)
      const dueAt = clock.after(retryDelaySeconds(attempts, config.retrySeconds, entropy.bytes(1)[0] ?? 0))
      await transact((tx) => store.settleMail(tx, id, attempts, { state, dueAt, lastError }))
      if (state === 'failed') log.error({ err, mail: id, kind, attempts }, 'mail could not be sent and is kept as failed')
      else log.warn({ err, mail: id, kind, attempts, again: dueAt }, 'mail was not accepted and is tried again')
      return
    }
    await transact((tx) => store.settleMail(tx, id, attempts, { state: 'sent', body: null, lastError: null }))
    log.debug({ mail: id, kind, attempts }, 'mail sent')
  }

  return {
    enqueue: async (tx, mail) => {
      if (await isTooMany(tx, mail)) {
        log.warn({ kind: mail.kind }, 'mail not sent: too many to this address within an hour')
        return false
      }
      const id = entropy.id()
      const now = clock.now()
      await store.insertMail(tx, {
        id,
        kind: mail.kind,
        toName: isPlainName(mail.to.name) ? mail.to.name : '',
        toAddress: mail.to.address,
        body: secrets.seal(JSON.stringify(mail.words), store.sealContext(id)),
        state: 'pending',
        attempts: 0,
        dueAt: now,
        lastError: null,
        createdAt: now,
        askedBy: mail.asker === undefined ? null : keyOf(mail.asker),
      })
      afterCommit(tx, wake)
      return true
    },
    list: (state, count) => store.listMails(db, state, count),
    sendTest: async (address) => {
      const courier = await transport()
      try {
        const mail = {
          id: entropy.id(),
          kind: 'test',
          createdAt: clock.now(),
          to: { name: '', address },
          words: testMail(publicUrl),
        }
        return { accepted: true, answer: await courier.send(mail) }
      } catch (error) {
        // What the server said, where it said something; else what went wrong on the way to it.
        const { response, message } = error as { response?: string; message: string }
        return { accepted: false, answer: response ?? message }
      } finally {
        courier.close()
      }
    },
    retry: async (id) => {
      await transact(async (tx) => {
        if (!(await store.reviveMail(tx, id, clock.now()))) throw mailErrors.refuse('MAIL_NOT_FOUND')
        afterCommit(tx, wake)
      })
    },
    onEnqueued: (listener) => void listeners.push(listener),
    deliver: async (stop) => {
      const due = await store.listDue(db, clock.now(), batch)
      if (due.length === 0) return false
      const courier = await transport()
      const line = due.values()
      const work = async () => {
        for (const row of line) if (!stop.aborted) await deliverOne(courier, row)
      }
      const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
      courier.close()
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      return due.length === batch
    },
    sweep: async (stop) => {
      const now = clock.now().getTime()
      const sweepState = (state: 'sent' | 'failed', days: number) =>
        sweep(transact, (tx, limit) => store.deleteSettled(tx, state, new Date(now - days * dayMs), limit), stop)
      await sweepState('sent', config.keepSentDays)
      await sweepState('failed', config.keepFailedDays)
    },
  }
}
