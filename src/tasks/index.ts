import { sealedColumns } from '../core/queue.ts'
import { type Base, defineFeature } from '../feature.ts'
import { bind, documented } from '../http/handlers.ts'
import { taskCommands } from './cli.ts'
import { taskContract, taskDocumentation, taskErrors, taskEvents } from './contract.ts'
import { createTasks, deadTaskCheck, type Tasks } from './service.ts'

/** The routes with which operators see and change the queue. */
const taskRoutes = (tasks: Tasks) =>
  bind(documented(taskContract, taskDocumentation), {
    listTasks: async (_principal, { query }) => {
      const { rows, next, total } = await tasks.page(query)
      return { tasks: [...rows], next, total }
    },
    requeueTask: (principal, { params }) => tasks.requeue(principal, params.id),
    deleteTask: async (principal, { params }) => {
      await tasks.drop(principal, params.id)
      return { id: params.id }
    },
  })

export type { Tasks }

/** Lets operators see the queue, run dead tasks again and delete them. */
export const tasksFeature = defineFeature({
  name: 'tasks',
  errors: taskErrors.table,
  events: taskEvents,
  commands: [taskCommands],
  sealedColumns,
  build: (base: Base) => {
    const tasks = createTasks(base)
    return {
      api: { tasks },
      routes: taskRoutes(tasks),
      retentions: [base.queue.retention],
      tasks: [base.queue.sweep],
      checks: [deadTaskCheck(base)],
      onRestore: base.queue.onRestore,
    }
  },
})
