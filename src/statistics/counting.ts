import type { Core } from '../core/core.ts'
import type { EventReader } from '../core/events/readers.ts'
import type { RecordedEvent } from '../core/events/record.ts'
import type { EventType } from '../core/events/types.ts'
import { measures, readerName } from './measures.ts'
import { type Active, writeDown } from './recording.ts'
import { type Count, dayOf } from './rules.ts'
import * as store from './store.ts'
import { halfHourOf } from './zones.ts'

interface Deps extends Pick<Core, 'db' | 'transact'> {
  /** The types of audit events of all features. Each says what an event of this type adds to the counts. */
  readonly eventTypes: ReadonlyMap<string, EventType>
}

const isMeasure = (name: string): name is keyof typeof measures => Object.hasOwn(measures, name)

/** The name under which a measure is stored. */
const measureOf = (name: string): string => {
  if (!isMeasure(name)) throw new Error(`an event is counted as ${name}, which is no measure`)
  return measures[name]
}

/**
 * An event reader that counts audit events in the order of the chain. Counts and position are written in one transaction, so that an
 * event is counted only once even if it is read again after a crash or on another node.
 */
export const createCounting = ({ db, transact, eventTypes }: Deps): EventReader => {
  const read = new Map<number, RecordedEvent>()
  return {
    name: readerName,
    types: [...eventTypes.values()].filter(({ counted }) => counted !== undefined),
    startsAt: 'oldest',
    handle: async (event, position) => void read.set(position, event),
    flush: async () => {
      const batch = [...read].sort(([one], [other]) => one - other)
      read.clear()
      const before = await store.findProgress(db, readerName)
      const fresh = batch.filter(([position]) => position > (before?.position ?? 0))
      const last = fresh.at(-1)
      if (last === undefined) return
      const counts: Count[] = []
      const active: Active[] = []
      for (const [, event] of fresh) {
        const counted = eventTypes.get(event.type)?.counted?.(event.data)
        if (counted === undefined) continue
        counts.push(
          ...counted.counts.map(([name, key]) => ({
            day: halfHourOf(event.occurredAt),
            measure: measureOf(name),
            key,
            amount: 1,
          })),
        )
        if (counted.isActivity === true) active.push({ day: dayOf(event.occurredAt), userId: event.subjectId })
      }
      const [position, { occurredAt: through }] = last
      await transact(async (tx) => {
        if (!(await store.moveProgress(tx, before, { id: readerName, position, through })))
          throw new Error('another node counts these events')
        await writeDown(tx, counts, active)
      })
    },
  }
}
