/**
 * A process that writes a note with its event and commits, writes another one without committing, reports this and waits to be killed. It loads only
 * the modules that record events, because loading the whole program would take most of its time.
 */
import { systemClock } from '../../src/core/clock.ts'
import { openDatabase } from '../../src/core/db/database.ts'
import { createEvents } from '../../src/core/events/record.ts'
import { systemRandom } from '../../src/core/random.ts'
import { noteEvents, writeNote } from './events.ts'

const [, , url = '', pooler = 'none'] = process.argv
const database = openDatabase({ url, pooler: pooler as 'none' | 'transaction', poolMax: 1, synchronous: 'NORMAL' })
const events = createEvents({ clock: systemClock, random: systemRandom })
events.register({ events: noteEvents })
await database.transact((tx) => writeNote({ events }, tx, 'committed'))
await database.transact(async (tx) => {
  await writeNote({ events }, tx, 'uncommitted')
  process.stdout.write('written\n')
  setInterval(() => undefined, 1_000)
  await new Promise(() => undefined)
})
