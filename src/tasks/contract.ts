import { z } from 'zod'
import { sortedPage } from '../core/page.ts'
import { instant, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

/** Work of the queue as operators see it: never what it carries. */
export const Task = z
  .object({
    id: z.string(),
    kind: z.string(),
    /** Tasks of one kind and key run one after the other. */
    key: z.string().nullable(),
    /** What it is about: of a mail, its kind and the address. */
    label: z.string().nullable(),
    status: z.enum(['pending', 'running', 'done', 'dead']),
    /** How often it was begun. */
    attempts: z.int(),
    /** When a pending task may begin; of a running one, the end of its lease. */
    dueAt: instant,
    createdAt: instant,
    /** When a task that is done or dead is deleted. */
    expiresAt: instant.nullable(),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'Task' })

const list = sortedPage('tasks', Task, {
  filter: {
    kind: plainText(64, 1).optional(),
    status: z.enum(['pending', 'running', 'done', 'dead']).optional(),
    createdSince: instant.optional(),
    createdUntil: instant.optional(),
  },
  sorts: ['createdAt'],
})
export type TaskQuery = z.output<typeof list.query>

const params = z.object({ id: plainText(64, 1) })

export const taskContract = contract('Mail and tasks', {
  listTasks: {
    method: 'GET',
    path: '/admin/tasks',
    summary: 'The work of the queue, page by page',
    access: { permission: 'tasks:read' },
    ...list,
    errors: [],
  },
  requeueTask: {
    method: 'POST',
    path: '/admin/tasks/:id/requeue',
    summary: 'Have a dead task tried again, from its first attempt',
    access: { permission: 'tasks:update' },
    params,
    response: Task,
    errors: ['TASK_NOT_FOUND'],
  },
  deleteTask: {
    method: 'DELETE',
    path: '/admin/tasks/:id',
    summary: 'Delete a dead task: what it was to do is not done',
    access: { permission: 'tasks:update' },
    params,
    response: z.object({ id: z.string() }),
    errors: ['TASK_NOT_FOUND'],
  },
})
