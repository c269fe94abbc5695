import { errorsOf } from '../core/errors.ts'

export const auditErrors = errorsOf({
  EVENT_NOT_FOUND: [404, 'Event not found'],
  EVENTS_WERE_CHANGED: [409, 'Events were changed'],
})
