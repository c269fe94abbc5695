import { z } from 'zod'
import { countRows, sweepOutdated } from '../core/db/sweep.ts'
import { listReaders } from '../core/events/readers.ts'
import { periodic, sweepSeconds } from '../core/queue.ts'
import { type Retention, retentionOfRows, sweepAll } from '../core/retention.ts'
import { daySeconds } from '../core/time.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { bind, documented } from '../http/handlers.ts'
import { statisticsContract, statisticsDocumentation, statisticsErrors } from './contract.ts'
import { createCounting } from './counting.ts'
import { readerName, sinceName } from './measures.ts'
import { dayOf, shiftDay } from './rules.ts'
import type { Statistics } from './service.ts'
import { createStatistics } from './service.ts'
import * as store from './store.ts'
import { createTally, type Tally } from './tally.ts'

/** The routes with which operators read the daily numbers. */
const statisticsRoutes = (statistics: Statistics) =>
  bind(documented(statisticsContract, statisticsDocumentation), {
    statistics: (principal, { query }) => statistics.read(principal, query),
  })

const statisticsConfig = z
  .strictObject({
    keepDays: z
      .int()
      .min(90)
      .max(3650)
      .default(800)
      .describe('Days for which the numbers of each day are kept that the console shows as charts.'),
  })
  .prefault({})
  .meta({ weakened: 'never' })

type StatisticsConfig = z.output<typeof statisticsConfig>

export type { Tally }

/**
 * The retention that deletes who was active in past periods. It waits while past events are still being counted, because counting needs
 * these rows.
 */
const activityRetention = ({ db, transact, clock }: Pick<Base, 'db' | 'transact' | 'clock'>): Retention => {
  const outdated = async () => {
    const [reader] = await listReaders(db, [readerName])
    const now = clock.now()
    const counted = (await store.findProgress(db, readerName))?.through ?? new Date(0)
    const isUpToDate = reader === undefined || reader.lag === 0
    const until = isUpToDate || counted > now ? now : counted
    return store.activitiesBefore(shiftDay(dayOf(until), -2))
  }
  return {
    name: 'activity',
    which: 'of days, weeks and months that are over',
    count: async () => countRows(db, await outdated()),
    sweep: async (stop) => sweepOutdated(db, transact, await outdated(), stop),
  }
}

const build = (base: Base, { statistics: { keepDays } }: { readonly statistics: StatisticsConfig }) => {
  const { clock, db, queue } = base
  const tally = createTally(base)
  let isSinceKnown = false
  /** Stores when counting began. Charts without data show this time. */
  const noteSince = async () => {
    if (isSinceKnown) return
    await base.transact((tx) => store.moveProgress(tx, undefined, { id: sinceName, position: 0, through: clock.now() }))
    isSinceKnown = true
  }
  const write = async () => {
    await noteSince()
    for (const { kind, dueAt } of await queue.oldestDue(db))
      tally.highest('queueLag', kind, Math.max(0, (clock.now().getTime() - dueAt.getTime()) / 1000))
    await tally.flush()
  }
  const retentions = [
    activityRetention(base),
    retentionOfRows(base, 'statistics', `of days more than ${keepDays} days ago`, () =>
      store.countsBefore(dayOf(clock.after(-keepDays * daySeconds))),
    ),
  ]
  return {
    api: { tally },
    routes: statisticsRoutes(createStatistics(base)),
    readers: [createCounting(base)],
    jobs: [{ name: 'statistics.write', everyMs: 30_000, run: write, onStop: tally.flush }],
    personalData: [store.ownActivities],
    retentions,
    tasks: [periodic('statistics.sweep', sweepSeconds, sweepAll(retentions))],
  } satisfies Built
}

/** Daily numbers for the charts of the console. Features also add numbers that do not come from events. They work without this feature, too. */
export const statisticsFeature = defineFeature({
  name: 'statistics',
  config: { statistics: statisticsConfig },
  errors: statisticsErrors.table,
  build,
})
