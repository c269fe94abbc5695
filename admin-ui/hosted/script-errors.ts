import { pageErrorContract } from '../../src/health/page-errors/contract.ts'
import { ApiError } from '../../src/http/client.ts'
import type { HostedApi } from '../shared/api.ts'

/** Greatest number of reports from a page. Repeated errors do not need more. */
const mostReports = 3

/** True for a file that did not load, which is no error of a script. Each browser engine has its own message. */
const isMissingFile = (message: string) => /dynamically imported module|importing a module script failed/i.test(message)

/** True for an error of the page's own scripts. Refusals by the server, cancelled calls and browser extensions are left out. */
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
    // Only the first segment of the path identifies the page. The rest may be secret.
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
