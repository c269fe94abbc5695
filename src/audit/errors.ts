import { errorsOf } from '../core/errors.ts'

export const auditErrors = errorsOf({
  EVENT_NOT_FOUND: [404, 'Event not found'],
  TOO_MANY_EVENT_STREAMS: [503, 'Too many event streams'],
  TOO_MANY_EVENT_STREAMS_OF_THIS_SESSION: [429, 'Too many event streams of this session'],
  EVENT_EXPORT_NOT_FOUND: [404, 'Event export not found'],
  EVENT_EXPORT_NOT_MADE: [409, 'Event export not made'],
  TOO_MANY_EVENT_EXPORTS: [429, 'Too many event exports'],
  EVENTS_WERE_CHANGED: [409, 'Events were changed'],
})
