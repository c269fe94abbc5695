import type { Job } from '../core/jobs.ts'
import type { Delivery } from './service.ts'

/** Delivery wakes at once for this node's mails and looks for those of other nodes and of the command line every few seconds. */
export const mailJobs = ({ deliver, sweep, onEnqueued }: Delivery): Job[] => [
  { name: 'mail.deliver', everyMs: 2_000, run: deliver, onStart: onEnqueued },
  { name: 'mail.sweep', everyMs: 3_600_000, run: sweep },
]
