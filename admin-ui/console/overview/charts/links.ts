import { withQuery } from '../../../../src/core/web.ts'
import { useConsole } from '../../api.ts'
import type { Span } from './spans.ts'
import { shiftDay } from './spans.ts'

/** Addresses of the rows behind numbers; undefined where the person may not open the screen. */
export const useRows = () => {
  const { screens } = useConsole()
  const open = (path: string, query: Readonly<Record<string, string | undefined>> = {}) =>
    screens.has(path) ? withQuery(path, query) : undefined
  const begin = (day: string) => `${day}T00:00:00.000Z`
  const created = ({ from, to }: Span) => ({ createdSince: begin(from), createdUntil: begin(shiftDay(to, 1)) })
  return {
    events: (type: string, { from, to }: Span) =>
      open('/admin/events', { type, since: begin(from), until: begin(shiftDay(to, 1)) }),
    mails: (state: string, span: Span) => open('/admin/mails', { state, ...created(span) }),
    tasks: (span: Span) => open('/admin/tasks', created(span)),
    deliveries: () => open('/admin/billing/deliveries'),
    failures: (span?: Span, reason?: string) =>
      open('/admin/sign-ins/failures', {
        ...(span === undefined ? {} : { since: begin(span.from), until: begin(shiftDay(span.to, 1)) }),
        reason,
      }),
    application: (clientId: string) => {
      const list = open('/admin/clients')
      return list === undefined ? undefined : `${list}/${encodeURIComponent(clientId)}`
    },
  }
}
