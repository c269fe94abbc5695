import { errorsOf } from '../core/errors.ts'

export const secretErrors = errorsOf({
  NO_NODE_HAS_STARTED_WITH_THE_NEWEST_SECRET: [409, 'No node has started with the newest secret'],
})
