import { bind, documented } from '../http/handlers.ts'
import { taskContract } from './contract.ts'
import { taskDocumentation } from './documentation.ts'
import type { Tasks } from './service.ts'

/** The queue for operators. */
export const taskRoutes = (tasks: Tasks) =>
  bind(documented(taskContract, taskDocumentation), {
    listTasks: async (_principal, { query }) => {
      const { rows, next } = await tasks.page(query)
      return { tasks: [...rows], next }
    },
    requeueTask: (principal, { params }) => tasks.requeue(principal, params.id),
    deleteTask: async (principal, { params }) => {
      await tasks.drop(principal, params.id)
      return { id: params.id }
    },
  })
