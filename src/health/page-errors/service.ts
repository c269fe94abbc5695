import { type Check, defineFindings } from '../../core/checks.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Tally } from '../../statistics/index.ts'
import { browserOf, pageKind, placesOf, withoutPersonalData } from './rules.ts'

const findings = defineFindings({
  'page-scripts-fail': {
    message: '{count} errors of scripts on hosted pages were reported since yesterday: people may be unable to sign in',
    remedy: 'look for "a script failed on a page" in the log of the daemon, which names page, error and browser',
  },
})

/** A report from a page about an error in its scripts. */
export interface PageError {
  /** Path of the page in which the error occurred. */
  readonly page: string
  readonly name: string
  readonly message: string
  readonly source: string
}

/**
 * How many reports are logged in a minute at most, for all senders together. That is enough to notice a broken release. All reports are
 * counted.
 */
const mostLogged = 30
const minuteMs = 60_000

interface Deps {
  readonly log: Log
  readonly clock: Clock
  readonly metrics: Metrics
  readonly tally: Tally | undefined
}

/** Takes reports from pages about errors in their scripts. They are logged without personal data, and counted. `doctor` shows their number. */
export const createPageErrors = ({ log, clock, metrics, tally }: Deps) => {
  const count = metrics.counter({
    name: 'gatehouse_page_errors_total',
    help: 'Errors of scripts that hosted pages have reported.',
    labels: [],
  })
  let minute = 0
  let logged = 0
  const mayLog = (): boolean => {
    const now = Math.floor(clock.now().getTime() / minuteMs)
    if (now !== minute) [minute, logged] = [now, 0]
    logged += 1
    if (logged === mostLogged + 1) log.warn('scripts fail on many pages: further reports of this minute are counted alone')
    return logged <= mostLogged
  }
  const check: Check = {
    name: 'pageScripts',
    texts: findings.texts,
    run: async () => {
      const amount = (await tally?.sumOf('pageErrors', 2)) ?? 0
      return amount === 0 ? [] : [findings.found('warning', 'page-scripts-fail', { count: amount })]
    },
  }
  return {
    check,
    report: (userAgent: string, { page, name, message, source }: PageError): void => {
      count({})
      tally?.count('pageErrors')
      if (!mayLog()) return
      const error = `${withoutPersonalData(name)}: ${withoutPersonalData(message)}`
      log.warn(
        { page: pageKind(page), error, source: placesOf(source), browser: browserOf(userAgent) },
        'a script failed on a page',
      )
    },
  }
}

export type PageErrors = ReturnType<typeof createPageErrors>
