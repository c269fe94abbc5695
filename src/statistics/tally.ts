import type { Core } from '../core/core.ts'
import { isOfHalfHours, type MeasureName, storedMeasures } from './measures.ts'
import { type Active, writeDown } from './recording.ts'
import { type Count, dayOf, daysFrom, shiftDay } from './rules.ts'
import * as store from './store.ts'
import { halfHourOf } from './zones.ts'

/**
 * Collects numbers that do not come from audit events. They are kept in memory for a moment before they are written. If a node is killed,
 * its unwritten numbers are lost.
 */
export interface Tally {
  /** Adds one to today's number. */
  count(measure: MeasureName, key?: string): void
  /** Records a value for today. The highest value of the day is kept. */
  highest(measure: MeasureName, key: string, value: number): void
  /** Records that a person was active today, and which application the person used. */
  active(userId: string, clientId?: string): void
  /**
   * The sum of a measure over the last `days` days, including today. It contains what all nodes have written. The measure has to be
   * stored by day and without keys.
   */
  sumOf(measure: MeasureName, days: number): Promise<number>
  /** Writes the numbers that this node has collected. */
  flush(): Promise<void>
}

/** How many numbers and people may wait to be written. If there are more, further ones are dropped. */
const mostWaiting = 20_000
/** How many people this node remembers as already written for today. */
const mostKnown = 50_000
/** How many people are written in one transaction. */
const batch = 200

type Merge = (one: number, other: number) => number

export const createTally = ({ db, transact, clock }: Pick<Core, 'db' | 'transact' | 'clock'>): Tally => {
  let counts = new Map<string, Count>()
  let peaks = new Map<string, Count>()
  let waiting = new Map<string, Active>()
  let knownDay = ''
  const known = new Set<string>()

  const note = (into: Map<string, Count>, measure: MeasureName, key: string, amount: number, merge: Merge) => {
    const stored = storedMeasures[measure]
    const day = isOfHalfHours(stored) ? halfHourOf(clock.now()) : dayOf(clock.now())
    const count = { day, measure: stored, key: key.slice(0, 255), amount }
    const id = JSON.stringify([count.day, measure, key])
    const before = into.get(id)
    if (before !== undefined || into.size < mostWaiting)
      into.set(id, before === undefined ? count : { ...count, amount: merge(before.amount, amount) })
  }
  const add = (one: number, other: number) => one + other

  /** Puts numbers that could not be written back into the collection. */
  const restore = (into: Map<string, Count>, from: ReadonlyMap<string, Count>, merge: Merge) => {
    for (const [id, count] of from) {
      const meanwhile = into.get(id)
      into.set(id, meanwhile === undefined ? count : { ...count, amount: merge(count.amount, meanwhile.amount) })
    }
  }

  const flushNumbers = async () => {
    if (counts.size === 0 && peaks.size === 0) return
    const [sums, highest] = [counts, peaks]
    counts = new Map()
    peaks = new Map()
    try {
      await transact((tx) => writeDown(tx, [...sums.values()], [], [...highest.values()]))
    } catch (error) {
      restore(counts, sums, add)
      restore(peaks, highest, Math.max)
      throw error
    }
  }

  const flushPeople = async () => {
    const due = [...waiting]
    waiting = new Map()
    for (let from = 0; from < due.length; from += batch) {
      const some = due.slice(from, from + batch)
      try {
        await transact((tx) =>
          writeDown(
            tx,
            [],
            some.map(([, active]) => active),
          ),
        )
      } catch (error) {
        for (const [id, active] of due.slice(from)) waiting.set(id, active)
        throw error
      }
    }
  }

  return {
    count: (measure, key = '') => note(counts, measure, key, 1, add),
    highest: (measure, key, value) => note(peaks, measure, key, Math.ceil(value), Math.max),
    active: (userId, clientId) => {
      const day = dayOf(clock.now())
      if (day !== knownDay) {
        knownDay = day
        known.clear()
      }
      const id = clientId === undefined ? userId : `${userId} ${clientId}`
      if (known.has(id) || waiting.size >= mostWaiting) return
      if (known.size < mostKnown) known.add(id)
      waiting.set(`${day} ${id}`, { day, userId, ...(clientId === undefined ? {} : { clientId }) })
    },
    sumOf: async (measure, days) => {
      const today = dayOf(clock.now())
      const counts = await store.listPlainCounts(db, daysFrom(shiftDay(today, 1 - days), today), [storedMeasures[measure]])
      return counts.reduce((sum, { amount }) => sum + amount, 0)
    },
    flush: async () => {
      await flushNumbers()
      await flushPeople()
    },
  }
}
