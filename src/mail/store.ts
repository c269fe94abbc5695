import { type Db, lockName, type Tx } from '../core/database.ts'
import { deleteSome } from '../core/sweep.ts'
import { int, nullable, oneOf, type Row, sealed, table, text, time } from '../core/table.ts'

/** `pending` covers a mail under way as well: `dueAt` is then the end of the lease. */
export type MailState = 'pending' | 'sent' | 'failed'

export const sealContext = (id: string) => `mail_outbox.body.${id}`

const columns = {
  id: text,
  kind: text,
  toName: text,
  toAddress: text,
  /** The words, sealed, because they carry links with tokens. Null once sent. */
  body: nullable(sealed(sealContext)),
  state: oneOf('pending', 'sent', 'failed'),
  attempts: int,
  dueAt: time,
  lastError: nullable(text),
  createdAt: time,
  /** Null where nobody but the product asked for it. */
  askedBy: nullable(text),
}
const outbox = table('mail_outbox', columns)
export const { sealedColumns } = outbox
export type MailRow = Row<typeof columns>

export const insertMail = (tx: Tx, row: MailRow) => outbox.insert(tx, row)

/**
 * Who asked for the mails of a kind to one address since `since`, null for notices. Locked until the transaction ends, so that parallel
 * requests count one another.
 */
export const listAskers = async (tx: Tx, toAddress: string, kind: string, since: Date): Promise<(string | null)[]> => {
  await lockName(tx, `mail:${toAddress}`)
  return tx.knex('mail_outbox').where({ to_address: toAddress, kind }).where('created_at', '>', since).pluck('asked_by')
}

/** Mails whose time has come, oldest first. */
export const listDue = async (db: Db, now: Date, limit: number): Promise<MailRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('mail_outbox')
    .where({ state: 'pending' })
    .where('due_at', '<=', now)
    .orderBy(['due_at', 'created_at'])
    .limit(limit)
  return rows.map((row) => outbox.decode(row))
}

/** Takes a due mail for one attempt until `leaseEnd`. False when another node took it first. */
export const claimMail = (tx: Tx, { id, attempts }: MailRow, leaseEnd: Date) =>
  outbox.updateOne(tx, { id, state: 'pending', attempts }, { attempts: attempts + 1, dueAt: leaseEnd })

/** Ends the attempt that `claimMail` began. False when the lease ran out and another node has taken over. */
export const settleMail = (
  tx: Tx,
  id: string,
  attempts: number,
  patch: Partial<Pick<MailRow, 'state' | 'body' | 'dueAt' | 'lastError'>>,
) => outbox.updateOne(tx, { id, state: 'pending', attempts }, patch)

export const listMails = (db: Db, state: MailState | undefined, limit: number) =>
  outbox.list(db, state === undefined ? {} : { state }, { orderBy: 'createdAt', descending: true, limit })

/** Gives a failed mail a new row of attempts. False when it is not a failed one. */
export const reviveMail = (tx: Tx, id: string, dueAt: Date) =>
  outbox.updateOne(tx, { id, state: 'failed' }, { state: 'pending', attempts: 0, dueAt })

/** Forgets at most `limit` settled mails made before `before`; returns how many. */
export const deleteSettled = (tx: Tx, state: 'sent' | 'failed', before: Date, limit: number): Promise<number> =>
  deleteSome(tx, outbox.name, ['id'], (rows) => rows.where({ state }).where('created_at', '<', before), limit)
