import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

export const taskEvents = defineEvents({
  'task.requeued': { summary: 'An operator had a dead task tried again.', subject: 'task', data: z.object({}) },
  'task.dropped': {
    summary: 'An operator deleted a dead task: what it was to do is not done.',
    subject: 'task',
    data: z.object({}),
  },
})
