import type { Job } from '../../core/jobs.ts'
import type { MailRequests } from './service.ts'

/** Wakes at once for this node's requests; what another node left behind is found within a minute. */
export const requestJobs = ({ run, onAsked }: MailRequests): Job[] => [
  { name: 'accounts.requests', everyMs: 30_000, run, onStart: onAsked },
]
