import type { Core } from '../core/core.ts'
import type { TaskRow, TaskStatus } from '../core/queue.ts'
import { taskErrors } from './errors.ts'

export interface Tasks {
  /** The newest tasks, of one kind and status or of all. */
  list(kind: string | undefined, status: TaskStatus | undefined, limit: number): Promise<readonly TaskRow[]>
  /** Has a dead task tried again. Throws TASK_NOT_FOUND. */
  requeue(id: string): Promise<void>
  /** Deletes a dead task. Throws TASK_NOT_FOUND. */
  drop(id: string): Promise<void>
}

export const createTasks = ({ db, transact, queue }: Pick<Core, 'db' | 'transact' | 'queue'>): Tasks => ({
  list: (kind, status, limit) => queue.list(db, { kind, status: status && [status] }, limit),
  requeue: async (id) => {
    if (!(await transact((tx) => queue.requeue(tx, id)))) throw taskErrors.error('TASK_NOT_FOUND')
  },
  drop: async (id) => {
    if (!(await transact((tx) => queue.drop(tx, id)))) throw taskErrors.error('TASK_NOT_FOUND')
  },
})
