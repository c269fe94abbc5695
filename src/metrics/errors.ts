import { errorsOf } from '../core/errors.ts'

export const metricsErrors = errorsOf({
  METRICS_TOKEN_IS_WRONG: [401, 'Send the token of metrics.token as Authorization: Bearer'],
})
