import type { Principal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { TaskRow, TaskStatus } from '../core/queue.ts'
import { taskErrors } from './errors.ts'
import { taskEvents } from './events.ts'

export interface Tasks {
  /** The newest tasks, of one kind and status or of all. */
  list(kind: string | undefined, status: TaskStatus | undefined, limit: number): Promise<readonly TaskRow[]>
  /** Has a dead task tried again. Throws TASK_NOT_FOUND. */
  requeue(principal: Principal, id: string): Promise<void>
  /** Deletes a dead task. Throws TASK_NOT_FOUND. */
  drop(principal: Principal, id: string): Promise<void>
}

export const createTasks = ({ db, transact, queue, events }: Pick<Core, 'db' | 'transact' | 'queue' | 'events'>): Tasks => ({
  list: (kind, status, limit) => queue.list(db, { kind, status: status && [status] }, limit),
  requeue: (principal, id) =>
    transact(async (tx) => {
      if (!(await queue.requeue(tx, id))) throw taskErrors.error('TASK_NOT_FOUND')
      await events.record(tx, principal, taskEvents['task.requeued'], { subject: id, data: {} })
    }),
  drop: (principal, id) =>
    transact(async (tx) => {
      if (!(await queue.drop(tx, id))) throw taskErrors.error('TASK_NOT_FOUND')
      await events.record(tx, principal, taskEvents['task.dropped'], { subject: id, data: {} })
    }),
})
