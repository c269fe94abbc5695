import { errorsOf } from '../core/errors.ts'
import { contract, text } from '../http/contract.ts'

export const metricsContract = contract('Health', {
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Get the metrics of this node in the text format of Prometheus; needs `metrics.token` as a Bearer token',
    access: 'anonymous',
    limit: 'none',
    response: text('text/plain'),
    errors: ['METRICS_TOKEN_IS_WRONG', 'NOT_FOUND'],
  },
})

export const metricsErrors = errorsOf({
  METRICS_TOKEN_IS_WRONG: [401, 'Send the token of metrics.token as Authorization: Bearer'],
})
