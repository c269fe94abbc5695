import type { Principal } from '../access/principal.ts'
import { type Check, defineFindings } from '../core/checks.ts'
import type { Core } from '../core/core.ts'
import type { Total } from '../core/db/count.ts'
import { cursorOf, placedPage } from '../core/page.ts'
import type { ListedTask, TaskRow, TaskStatus } from '../core/queue.ts'
import { countDead } from '../core/queue-store.ts'
import { type TaskQuery, taskErrors, taskEvents } from './contract.ts'

export interface Tasks {
  /** Returns the newest tasks. They can be filtered by kind and status. */
  list(kind: string | undefined, status: TaskStatus | undefined, limit: number): Promise<readonly TaskRow[]>
  /** Returns a page of tasks. */
  page(
    query: TaskQuery,
  ): Promise<{ readonly rows: readonly ListedTask[]; readonly next: string | null; readonly total: Total | null }>
  /** Runs a dead task again. Throws TASK_NOT_FOUND. */
  requeue(principal: Principal, id: string): Promise<ListedTask>
  /** Deletes a dead task. Throws TASK_NOT_FOUND. */
  drop(principal: Principal, id: string): Promise<void>
}

export const createTasks = ({ db, transact, queue, events }: Pick<Core, 'db' | 'transact' | 'queue' | 'events'>): Tasks => ({
  list: (kind, status, limit) => queue.list(db, { kind, status: status && [status] }, limit),
  page: async ({ kind, status, createdSince, createdUntil, ...query }) => {
    const conditions = { kind, status: status && [status], createdSince, createdUntil }
    return placedPage(query, await queue.page(db, conditions, cursorOf(query)))
  },
  requeue: (principal, id) =>
    transact(async (tx) => {
      const task = (await queue.requeue(tx, id)) ? await queue.find(tx, id) : undefined
      if (task === undefined) throw taskErrors.error('TASK_NOT_FOUND')
      await events.record(tx, principal, taskEvents['task.requeued'], { subject: id, data: {} })
      return task
    }),
  drop: (principal, id) =>
    transact(async (tx) => {
      if (!(await queue.drop(tx, id))) throw taskErrors.error('TASK_NOT_FOUND')
      await events.record(tx, principal, taskEvents['task.dropped'], { subject: id, data: {} })
    }),
})

const deadFindings = defineFindings({
  'mails-failed': {
    message: '{count} mails could not be sent',
    remedy: '{command} says why; then retry-mail',
  },
  'tasks-failed': {
    message: '{count} tasks of the kind {kind} were given up',
    remedy: '{command} says why; then requeue-task or drop-task',
  },
})

/** Finds dead tasks, which failed too often. Mails are tasks, too. */
export const deadTaskCheck = ({ db, remedies }: Pick<Core, 'db' | 'remedies'>): Check => ({
  name: 'tasks',
  texts: deadFindings.texts,
  run: async () =>
    (await countDead(db)).map(({ kind, amount: count }) =>
      kind === 'mail.send'
        ? deadFindings.found('warning', 'mails-failed', { count, kind, command: remedies.listFailedMails() })
        : deadFindings.found('warning', 'tasks-failed', { count, kind, command: remedies.listDeadTasks(kind) }),
    ),
})
