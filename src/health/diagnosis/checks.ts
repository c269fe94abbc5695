import { statfs } from 'node:fs/promises'
import { type Check, defineFindings, type Finding } from '../../core/checks.ts'
import type { Clock } from '../../core/clock.ts'
import type { Database } from '../../core/db/database.ts'
import type { MigrationList } from '../../core/db/migrate.ts'
import { newestDate } from '../../core/events/store.ts'
import { isLoopbackUrl } from '../../core/web.ts'
import { configFindings, unwiseSettings, type WarnedSettings } from '../warnings.ts'
import type { AddressProblem } from './address-problem.ts'
import { poolerFindings, poolerTexts } from './pooler.ts'
import { schemaFindings, schemaTexts } from './schema.ts'
import { databaseTime } from './store.ts'

/** The part of the configuration that these checks look at. */
export type CheckedSettings = WarnedSettings & {
  readonly dataDir: string
  readonly http: { readonly clientAddressHeader: string }
}

interface Deps {
  readonly database: Database
  readonly migrations: MigrationList
  readonly clock: Clock
  readonly config: CheckedSettings
  readonly addressProblem: Pick<AddressProblem, 'isRecent'>
}

const mostClockDifferenceMs = 5_000
const leastFreeBytes = 1024 ** 3
const leastFreeShare = 0.05

const findings = defineFindings({
  'clocks-apart': {
    message: 'The clocks of this machine and of the database are {seconds} seconds apart: leases, codes and limits rely on them',
    remedy: 'synchronise both machines with NTP',
  },
  'records-ahead': {
    message:
      'The newest event is dated {seconds} seconds ahead of the clock of this machine: the clock is behind, or was ahead then',
    remedy: 'synchronise the clock with NTP; if it is right, this is over when that time has come',
  },
  'disk-full': {
    message: '{megabytes} MB are free in {directory}, where the database is',
    remedy: 'make room, or move the data directory',
  },
  'proxy-untrusted': {
    message:
      'The public address is https, which a proxy serves, and no proxy is trusted: all people share its address and its limits',
    remedy: 'set trustedProxies to the address of the proxy',
  },
  'client-address-unreadable': {
    message:
      'A trusted proxy writes no address that is understood into {header}: all people behind it share its address and its limits',
    remedy:
      'see "client address not understood" in the log of the daemon, and set http.clientAddressHeader to the header with it',
  },
})

/** A finding about requests whose client address cannot be read. Only the daemon that received the requests can report it. */
export const unreadableAddress = ({ http }: CheckedSettings): Finding =>
  findings.found('warning', 'client-address-unreadable', { header: http.clientAddressHeader })

/** Checks that belong to no feature. They are about configuration, clock, disk and proxy. */
export const instanceChecks = ({ database, migrations, clock, config, addressProblem }: Deps): readonly Check[] => [
  {
    name: 'configuration',
    texts: configFindings.texts,
    run: async () => unwiseSettings(config).map((code) => configFindings.found('warning', code)),
  },
  {
    name: 'clock',
    texts: findings.texts,
    run: async (): Promise<Finding[]> => {
      const before = clock.now().getTime()
      const theirs = (await databaseTime(database.db)).getTime()
      const after = clock.now().getTime()
      // The database's clock was read between two readings of the local clock. If its time lies between them, there is no difference.
      const difference = Math.max(0, theirs - after, before - theirs)
      const newest = (await newestDate(database.db))?.getTime() ?? 0
      const secondsOf = (ms: number) => ({ seconds: Math.round(ms / 1000) })
      return [
        ...(difference > mostClockDifferenceMs ? [findings.found('warning', 'clocks-apart', secondsOf(difference))] : []),
        ...(newest - after > mostClockDifferenceMs
          ? [findings.found('warning', 'records-ahead', secondsOf(newest - after))]
          : []),
      ]
    },
  },
  { name: 'schema', texts: schemaTexts.texts, run: () => schemaFindings(database, migrations) },
  { name: 'pooler', texts: poolerTexts.texts, run: () => poolerFindings(database) },
  {
    name: 'disk',
    texts: findings.texts,
    run: async (): Promise<Finding[]> => {
      if (database.dialect !== 'sqlite') return []
      const { bavail, blocks, bsize } = await statfs(config.dataDir)
      const free = bavail * bsize
      if (free >= leastFreeBytes || bavail >= blocks * leastFreeShare) return []
      return [findings.found('warning', 'disk-full', { megabytes: Math.floor(free / 1024 ** 2), directory: config.dataDir })]
    },
  },
  {
    name: 'proxies',
    texts: findings.texts,
    run: async (): Promise<Finding[]> => {
      if (addressProblem.isRecent()) return [unreadableAddress(config)]
      if (!config.url.startsWith('https:') || isLoopbackUrl(config.url) || config.trustedProxies.length > 0) return []
      return [findings.found('warning', 'proxy-untrusted')]
    },
  },
]
