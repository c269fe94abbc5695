import { type Check, defineFindings } from '../../../../core/checks.ts'
import type { Core } from '../../../../core/core.ts'
import { sha1 } from '../../../../core/crypto.ts'
import { createOutbound, type OutboundConfig } from '../../../../core/fetch.ts'
import { StartError } from '../../../../core/start.ts'
import type { PasswordConfig } from '../config.ts'
import { createFileList } from './file.ts'
import { BreachedListError } from './header.ts'
import { createRangeList } from './ranges.ts'

/** Checks passwords against a list of leaked passwords. Attackers try leaked passwords first. */
export interface BreachedPasswords {
  /**
   * True if the password is on the list. If the list cannot be read, the result is false, so that people can still set a password. The
   * log, a metric and `doctor` report that the list cannot be read.
   */
  isBreached(password: string): Promise<boolean>
  readonly checks: readonly Check[]
  /** Opens the list if it is a file. Throws `StartError` if the file cannot be used. */
  prepare(): Promise<void>
}

interface List {
  has(digest: Buffer): Promise<boolean>
  probe(): Promise<void>
  /** True if the last read of the list failed and the answer came from memory. */
  isFailing?(): boolean
}

interface Deps extends Pick<Core, 'clock' | 'log' | 'metrics'> {
  readonly config: PasswordConfig['breached']
  readonly outbound: OutboundConfig
  /** The default path of the file. */
  readonly defaultFile: string
}

const unasked =
  'The list of breached passwords ({name}) could not be asked since {since}, and passwords are set without it: {why}'
const findings = defineFindings({
  'breached-file': { message: unasked, remedy: 'make it with import-breached' },
  'breached-service': { message: unasked, remedy: 'see that password.breached.url can be reached from here' },
})

export const createBreachedPasswords = ({ config, outbound, defaultFile, clock, log, metrics }: Deps): BreachedPasswords => {
  const count = metrics.counter({
    name: 'gatehouse_breached_password_checks_total',
    help: 'New passwords that were looked up in the list of breached ones: breached, clean, or unavailable when it could not be asked.',
    labels: ['result'],
  })
  const { source, url, file = defaultFile } = config
  const timeoutMs = Math.min(outbound.timeoutMs, config.timeoutMs)
  const lists: Readonly<Record<typeof source, () => List | undefined>> = {
    off: () => undefined,
    service: () => createRangeList({ outbound: createOutbound({ ...outbound, timeoutMs }), clock, url }),
    file: () => createFileList(file),
  }
  const list = lists[source]()
  const name = source === 'file' ? file : url
  let failing: { readonly since: Date; readonly why: string } | undefined

  /** Asks the list. Undefined if no list is configured, or if the list could not be read. */
  const ask = async <T>(question: (list: List) => Promise<T>): Promise<T | undefined> => {
    if (list === undefined) return undefined
    try {
      const answer = await question(list)
      if (list.isFailing?.() === true) return answer
      if (failing !== undefined) log.info({ list: name }, 'the list of breached passwords can be asked again')
      failing = undefined
      return answer
    } catch (err) {
      if (failing === undefined)
        log.warn({ list: name, err }, 'the list of breached passwords cannot be asked: passwords are set without it')
      failing = { since: failing?.since ?? clock.now(), why: (err as Error).message }
      return undefined
    }
  }

  return {
    isBreached: async (password) => {
      if (list === undefined) return false
      const digest = sha1(password.normalize('NFC'))
      const answer = await ask(({ has }) => has(digest))
      count({ result: answer === undefined ? 'unavailable' : answer ? 'breached' : 'clean' })
      return answer === true
    },
    checks: [
      {
        name: 'breached-passwords',
        texts: findings.texts,
        asksElsewhere: source === 'service',
        run: async () => {
          await ask(({ probe }) => probe())
          if (failing === undefined) return []
          return [
            findings.found('warning', source === 'file' ? 'breached-file' : 'breached-service', {
              ...{ name, since: failing.since.toISOString(), why: failing.why },
            }),
          ]
        },
      },
    ],
    prepare: async () => {
      if (source !== 'file') return
      await list?.probe().catch((error: unknown) => {
        if (!(error instanceof BreachedListError)) throw error
        throw new StartError('BREACHED_LIST_NOT_USABLE', `password.breached.file: ${error.message}`, error)
      })
    },
  }
}
