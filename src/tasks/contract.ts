import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { defineEvents } from '../core/events/types.ts'
import { counted, sortedPage } from '../core/page.ts'
import { instant, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

/** A task of the queue as operators see it, without its payload. */
export const Task = z
  .object({
    id: z.string(),
    kind: z.string(),
    /** Tasks that have the same kind and key run one after another. */
    key: z.string().nullable(),
    /** What the task is about. For a mail, it is the kind of the mail and the recipient. */
    label: z.string().nullable(),
    status: z.enum(['pending', 'running', 'done', 'dead']),
    /** How often the task has been tried. */
    attempts: z.int(),
    /** For a pending task, when it starts at the earliest. For a running task, when its lease ends. */
    dueAt: instant,
    createdAt: instant,
    /** When the task will be deleted. Null unless it is done or dead. */
    expiresAt: instant.nullable(),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'Task' })

const list = counted(
  sortedPage('tasks', Task, {
    filter: {
      kind: plainText(64, 1).optional(),
      status: z.enum(['pending', 'running', 'done', 'dead']).optional(),
      createdSince: instant.optional(),
      createdUntil: instant.optional(),
    },
    sorts: ['createdAt'],
  }),
)
export type TaskQuery = z.output<typeof list.query>

const params = z.object({ id: plainText(64, 1) })

export const taskContract = contract('Mail and tasks', {
  listTasks: {
    method: 'GET',
    path: '/admin/tasks',
    summary: 'List the tasks of the queue, page by page',
    access: { permission: 'tasks:read' },
    ...list,
    errors: [],
  },
  requeueTask: {
    method: 'POST',
    path: '/admin/tasks/:id/requeue',
    summary: 'Run a dead task again; its attempts are counted from zero',
    access: { permission: 'tasks:update' },
    params,
    response: Task,
    errors: ['TASK_NOT_FOUND'],
  },
  deleteTask: {
    method: 'DELETE',
    path: '/admin/tasks/:id',
    summary: 'Delete a dead task; its work will not be done',
    access: { permission: 'tasks:update' },
    params,
    response: z.object({ id: z.string() }),
    errors: ['TASK_NOT_FOUND'],
  },
})

export const taskErrors = errorsOf({
  TASK_NOT_FOUND: [404, 'Dead task not found'],
})

export const taskEvents = defineEvents({
  'task.requeued': { summary: 'An operator ran a dead task again.', subject: 'task', data: z.object({}) },
  'task.dropped': {
    summary: 'An operator deleted a dead task. Its work will not be done.',
    subject: 'task',
    data: z.object({}),
  },
})

const task = {
  ...{ id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', kind: 'events.webhook', key: null, label: null },
  ...{ status: 'dead', attempts: 12, dueAt: '2026-11-23T09:00:00.000Z', createdAt: '2026-11-23T08:00:00.000Z' },
  ...{ expiresAt: '2026-12-23T09:00:00.000Z', lastError: 'the receiver answered 500' },
}

/** Descriptions and examples for the API document. */
export const taskDocumentation = {
  listTasks: {
    description:
      'Newest first. `createdUntil` is exclusive. A page may have fewer than `limit` tasks, or none, and still have a `next`, because ' +
      'the filter by status examines a thousand tasks at a time. Only `dead` examines all tasks. The payload of a task is never ' +
      'shown. The label of a mail contains its address.',
    example: { response: { tasks: [task], next: null, total: null } },
  },
  requeueTask: {
    description:
      'Does the same as `gatehouse requeue-task`. Only a dead task can be requeued. Its attempts are counted from zero.',
    example: { response: { ...task, status: 'pending', attempts: 0, expiresAt: null } },
  },
  deleteTask: {
    description: 'Does the same as `gatehouse drop-task`. Only a dead task can be deleted.',
    example: { response: { id: task.id } },
  },
}
