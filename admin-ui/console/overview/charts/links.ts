import { withQuery } from '../../../../src/core/web.ts'
import { useConsole } from '../../api.ts'
import type { Span } from './spans.ts'
import { beginOf, shiftDay } from './spans.ts'

/** Functions that return the address of the list of the rows that a number counts. They return undefined if the person cannot open that list. */
export const useRows = () => {
  const { screens } = useConsole()
  const open = (path: string, query: Readonly<Record<string, string | undefined>> = {}) =>
    screens.has(path) ? withQuery(path, query) : undefined
  const times = ({ from, to, isUtc = false }: Span) => [beginOf(from, isUtc), beginOf(shiftDay(to, 1), isUtc)] as const
  const created = (span: Span) => {
    const [createdSince, createdUntil] = times(span)
    return { createdSince, createdUntil }
  }
  const occurred = (span: Span) => {
    const [since, until] = times(span)
    return { since, until }
  }
  return {
    events: (type: string, span: Span) => open('/admin/events', { type, ...occurred(span) }),
    mails: (state: string, span: Span) => open('/admin/mails', { state, ...created(span) }),
    tasks: (span: Span) => open('/admin/tasks', created(span)),
    deliveries: () => open('/admin/billing/deliveries'),
    failures: (span?: Span, reason?: string) =>
      open('/admin/sign-ins/failures', {
        ...(span === undefined ? {} : occurred(span)),
        reason,
      }),
    application: (clientId: string) => {
      const list = open('/admin/clients')
      return list === undefined ? undefined : `${list}/${encodeURIComponent(clientId)}`
    },
  }
}
