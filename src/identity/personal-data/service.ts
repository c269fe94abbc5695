import type { UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { type EventPlace, searchEvents } from '../../core/events/search.ts'
import type { PersonalData } from '../../core/personal-data.ts'
import { personalDataEvents } from './contract.ts'

/**
 * The part of the download with events about the account. If another person was the actor, that person's network address and browser are
 * left out.
 */
const ownEvents: PersonalData = {
  name: 'events',
  tables: ['event'],
  read: async function* (db, { id }) {
    for (const filter of [{ subjectId: id }, { actorId: id }]) {
      let after: EventPlace | undefined
      do {
        const { events, next } = await searchEvents(db, filter, { order: 'asc', limit: 500, after })
        for (const { type, occurredAt, actorId, subjectId, impersonatorId, address, userAgent, data } of events) {
          // The user is both subject and actor of this event, so the first filter has already found it.
          if (filter.actorId === id && subjectId === id) continue
          const isOwn = actorId === id && impersonatorId === null
          yield { type, occurredAt, subjectId, byYou: isOwn, ...(isOwn ? { address, userAgent, data } : {}) }
        }
        after = next
      } while (after !== undefined)
    }
  },
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'events' | 'url'> {
  /** Returns the parts of all features. Call it only after all features are built. */
  personalData(): readonly PersonalData[]
}

export const createPersonalData = ({ db, transact, clock, events, url, personalData }: Deps) => {
  /** Writes the download as a JSON object, piece by piece, so that no list has to fit into memory. */
  const write = async function* ({ user }: UserPrincipal): AsyncIterable<string> {
    const owner = { id: user.id, verifiedEmail: user.emailVerified ? user.email : undefined }
    yield `{"instance":${JSON.stringify(url)},"createdAt":${JSON.stringify(clock.now())}`
    for (const { name, read } of personalData()) {
      yield `,\n${JSON.stringify(name)}:[`
      let separator = ''
      for await (const item of read(db, owner)) {
        yield `${separator}\n${JSON.stringify(item)}`
        separator = ','
      }
      yield ']'
    }
    yield '}\n'
  }
  return {
    ownEvents,
    /** Records the download as an event, then returns the file. */
    download: async (principal: UserPrincipal): Promise<AsyncIterable<string>> => {
      const { id } = principal.user
      await transact((tx) => events.record(tx, principal, personalDataEvents['user.data_downloaded'], { subject: id, data: {} }))
      return write(principal)
    },
  }
}
