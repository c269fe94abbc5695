import { errorsOf } from '../core/errors.ts'

export const taskErrors = errorsOf({
  TASK_NOT_FOUND: [404, 'Dead task not found'],
})
