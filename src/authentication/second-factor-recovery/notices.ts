import { z } from 'zod'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import type { RestoreStep, TaskKind } from '../../core/queue.ts'
import { daySeconds, hourSeconds } from '../../core/time.ts'
import { withQuery } from '../../core/web.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { Mail } from '../../mail/index.ts'
import type { AccountMails, AddressRecovery } from '../verification/index.ts'
import { linkSeconds, nextNotice, readySeconds, stages } from './rules.ts'
import * as store from './store.ts'

/** Mails notices about a recovery wait to all mail addresses of an account. Each notice has a link that ends the wait. */
export interface Notices {
  /** Mails the first notice and plans the next one. Returns false if the mail address of the account has received too many mails. */
  start(tx: Tx, user: User, row: store.RecoveryRow): Promise<boolean>
  /**
   * Mails to the account's additional addresses that its second factors were removed. Another feature mails to the main address. `place`
   * is the browser and network of the person.
   */
  completed(tx: Tx, user: User, place: string): Promise<void>
  /** The URL of the link in a notice. The link ends the wait. */
  linkOf(row: Pick<store.RecoveryRow, 'id'>): string
  /** The id of the wait to which the token of a link belongs; undefined if the token is wrong. */
  idOf(token: string): string | undefined
  /** The task that mails all notices after the first one. A wait cannot be completed before all of them were mailed. */
  readonly task: TaskKind<unknown>
  readonly onRestore: RestoreStep
}

interface Deps extends Pick<Core, 'clock' | 'secrets' | 'queue' | 'url'> {
  readonly users: Pick<Users, 'find'>
  readonly recovery: Pick<AddressRecovery, 'openAddresses'>
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly isOn: boolean
}

const Payload = z.object({ id: z.string(), stage: z.enum(stages) })
const Details = z.object({ recovery: z.string() })

export const createNotices = (deps: Deps): Notices => {
  const { clock, secrets, queue, url, users, recovery, mail, accountMails, isOn } = deps
  const use = 'second-factor-recovery'

  const linkOf: Notices['linkOf'] = ({ id }) =>
    withQuery(`${url}/stop-recovery`, { token: `${id}.${Buffer.from(secrets.sign(use, id), 'base64').toString('base64url')}` })

  /** Mails a notice to all mail addresses of an account. Returns true if the mail to the main address was accepted for sending. */
  const mailTo = async (tx: Tx, user: User, row: store.RecoveryRow): Promise<boolean> => {
    const notice = { isReady: row.stage === 'ready', from: row.requester, at: row.endsAt ?? row.readyAt }
    const further = (await recovery.openAddresses(tx, user.id)).filter((email) => email !== user.email)
    for (const email of further) await mail.enqueue(tx, accountMails.recoveryNotice({ ...user, email }, notice, linkOf(row)))
    return mail.enqueue(tx, accountMails.recoveryNotice(user, notice, linkOf(row)))
  }

  const plan = async (tx: Tx, row: store.RecoveryRow) => {
    const next = nextNotice(row.stage, row)
    if (next === undefined) return
    const payload = { id: row.id, stage: next.stage }
    await queue.enqueue(tx, task, { payload, runAt: next.at, label: row.userId, details: { recovery: row.id } })
  }

  const make = async (tx: Tx, { id, stage }: z.output<typeof Payload>) => {
    const row = await store.findRecovery(tx, id)
    if (row === undefined || row.endsAt !== null) return
    const user = await users.find(tx, row.userId)
    if (user === undefined || !isOn) return void (await store.endRecovery(tx, id, clock.now()))
    // If the notice of the last day is late, the wait becomes longer, so that the owner still has a whole day after that notice.
    const dayAfter = clock.after(daySeconds)
    const readyAt = stage === 'last-day' && row.readyAt < dayAfter ? dayAfter : row.readyAt
    const endsAt = stage === 'ready' ? clock.after(readySeconds) : null
    if (!(await store.advance(tx, row, { stage, readyAt, endsAt }))) return
    const now = { ...row, stage, readyAt, endsAt }
    await mailTo(tx, user, now)
    await plan(tx, now)
  }

  const task: TaskKind<z.output<typeof Payload>> = {
    kind: 'second-factor-recovery.notice',
    payload: Payload,
    // The mail is stored in the transaction that also ends the task. Each notice is therefore mailed once, even if a node dies.
    handle:
      async ({ payload }) =>
      (tx) =>
        make(tx, payload),
    onDead: async (tx, { details }) => void (await store.endRecovery(tx, Details.parse(details).recovery, clock.now())),
    maxAttempts: 50,
    backOffSeconds: [60, hourSeconds],
    leaseSeconds: 60,
    concurrency: 1,
    keepDeadSeconds: 7 * daySeconds,
  }

  return {
    start: async (tx, user, row) => {
      await plan(tx, row)
      return mailTo(tx, user, row)
    },
    completed: async (tx, user, place) => {
      for (const email of await recovery.openAddresses(tx, user.id))
        if (email !== user.email)
          await mail.enqueue(
            tx,
            accountMails.waysInChanged({ ...user, email }, [{ change: 'second_factor.removed' }], place, clock.now(), undefined),
          )
    },
    linkOf,
    idOf: (token) => {
      const [id = '', signature = ''] = token.split('.')
      const signed = Buffer.from(signature, 'base64url').toString('base64')
      return secrets.isSigned(use, id, signed, linkSeconds) ? id : undefined
    },
    task,
    onRestore: async (tx, { isQueueHeld }) => {
      // After a backup was restored, the notices of waits are held back, and waits that the owner has stopped since the backup would run
      // again. All waits are therefore ended.
      const ended = isQueueHeld ? await store.deleteOpen(tx, clock.now()) : 0
      return ended === 0 ? {} : { 'waits for the removal of second factors (ended)': ended }
    },
  }
}
