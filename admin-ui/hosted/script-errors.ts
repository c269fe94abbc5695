import { pageErrorContract } from '../../src/health/page-errors/contract.ts'
import { ApiError } from '../../src/http/client.ts'
import type { HostedApi } from '../shared/api.ts'

/** How many errors at most a page reports. Further errors are mostly repetitions. */
const mostReports = 3

/** True for the message that a file did not load, which is no error in a script. Each browser engine words it differently. */
const isMissingFile = (message: string) => /dynamically imported module|importing a module script failed/i.test(message)

/** True for an error in the page's own scripts. Refusals by the server, cancelled calls and errors of browser extensions are not. */
const isOwn = (error: unknown, place = ''): error is Error =>
  error instanceof Error &&
  !(error instanceof ApiError) &&
  !['AbortError', 'TimeoutError'].includes(error.name) &&
  !isMissingFile(error.message) &&
  `${place} ${error.stack}`.includes(`${location.origin}/assets/`)

/** Reports script errors to the server, so that the operator learns why somebody cannot sign in. The server removes personal data. */
export const reportScriptErrors = (api: HostedApi): void => {
  const reported = new Set<string>()
  const report = (error: unknown, place?: string) => {
    if (!isOwn(error, place)) return
    const { name, message, stack = '' } = error
    const text = `${name}: ${message}`
    if (reported.has(text) || reported.size >= mostReports) return
    reported.add(text)
    // Only the first segment of the path is sent. It identifies the page, while the rest may be secret.
    const page = `/${location.pathname.split('/')[1]}`
    const places = `${stack} ${place}`.match(/\/assets\/[\w.-]+:\d+:\d+/g) ?? []
    const body = {
      page: page.slice(0, 500),
      name: name.slice(0, 100),
      message: message.slice(0, 1000),
      source: places.slice(0, 3).join(' ').slice(0, 500),
    }
    api
      .of(pageErrorContract)
      .reportPageError({ body })
      .catch(() => undefined)
  }
  addEventListener('error', ({ error, filename, lineno, colno }) => report(error, `${filename}:${lineno}:${colno}`))
  addEventListener('unhandledrejection', ({ reason }) => report(reason))
}
