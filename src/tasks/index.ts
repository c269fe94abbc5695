import { sealedColumns } from '../core/queue.ts'
import { type Base, defineFeature } from '../feature.ts'
import { taskCommands } from './cli.ts'
import { taskErrors } from './errors.ts'
import { taskEvents } from './events.ts'
import { taskRoutes } from './routes.ts'
import { createTasks, deadTaskCheck, type Tasks } from './service.ts'

export type { Tasks }

/** What operators do with the queue. */
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
