import { sessionEvents } from '../authentication/sessions/events.ts'
import type { Core } from '../core/core.ts'
import type { EventReader } from '../core/events/readers.ts'
import type { RecordedEvent } from '../core/events/record.ts'
import { userEvents } from '../identity/users/events.ts'
import { mailEvents } from '../mail/events.ts'
import { measures, readerName } from './measures.ts'
import { type Active, writeDown } from './recording.ts'
import { type Count, dayOf } from './rules.ts'
import * as store from './store.ts'

const byAmr: Readonly<Record<string, string>> = { pwd: 'password', hwk: 'passkey', swk: 'passkey', otp: 'mail-code' }

/** How a sign-in began. Events of earlier versions say only what RFC 8176 has a word for. */
export const methodOf = ({ method, amr }: Readonly<Record<string, unknown>>): string => {
  if (typeof method === 'string') return method
  const values = Array.isArray(amr) ? amr.map(String) : []
  return values.map((value) => byAmr[value]).find((name) => name !== undefined) ?? 'other'
}

interface Counted {
  readonly counts: readonly (readonly [measure: string, key: string])[]
  /** Who was active. */
  readonly userId?: string
}

/** What an event adds to the numbers of its day. */
const countedOf = ({ type, subjectId, data }: RecordedEvent): Counted => {
  switch (type) {
    case sessionEvents['session.started'].name:
      return {
        counts: [
          [measures.signIns, methodOf(data)],
          ...(typeof data['provider'] === 'string' ? [[measures.providerSignIns, data['provider']] as const] : []),
        ],
        userId: subjectId,
      }
    case userEvents['user.created'].name:
      return { counts: [[measures.signUps, '']] }
    case mailEvents['mail.given_up'].name:
      return { counts: [[measures.mails, 'failed']] }
    default:
      return { counts: [] }
  }
}

/**
 * Counts events in the order of the chain, each once: numbers and place in the chain are one transaction. What is read again, after a crash or by
 * another node, is found to be counted.
 */
export const createCounting = ({ db, transact }: Pick<Core, 'db' | 'transact'>): EventReader => {
  const read = new Map<number, RecordedEvent>()
  return {
    name: readerName,
    types: [sessionEvents['session.started'], userEvents['user.created'], mailEvents['mail.given_up']],
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
        const day = dayOf(event.occurredAt)
        const counted = countedOf(event)
        counts.push(...counted.counts.map(([measure, key]) => ({ day, measure, key, amount: 1 })))
        if (counted.userId !== undefined) active.push({ day, userId: counted.userId })
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
