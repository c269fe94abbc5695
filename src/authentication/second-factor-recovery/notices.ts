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

/** Notices of a wait to all addresses of an account, each with a link that ends the wait. */
export interface Notices {
  /** Sends the first notice and plans the next. False after too many mails to the account's address. */
  start(tx: Tx, user: User, row: store.RecoveryRow): Promise<boolean>
  /** Notifies the further addresses; another mail tells the account's address about the removed factors. `place`: browser and network. */
  completed(tx: Tx, user: User, place: string): Promise<void>
  /** Target of a notice's link. */
  linkOf(row: Pick<store.RecoveryRow, 'id'>): string
  /** The wait with the token of a link; undefined for a wrong one. */
  idOf(token: string): string | undefined
  /** Makes later notices: a wait cannot be completed without its notices. */
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

  /** Mails a notice to all addresses. True if the account's address gets it. */
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
    // After a late notice the owner still has the whole day.
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
    // In the transaction that ends the task: once, even if a node dies meanwhile.
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
      // A restore holds their notices back, and people who stopped a wait after the backup would have to stop it again: ended waits are
      // deleted, too.
      const ended = isQueueHeld ? await store.deleteOpen(tx, clock.now()) : 0
      return ended === 0 ? {} : { 'waits for the removal of second factors (ended)': ended }
    },
  }
}
