/**
 * A process that writes two notes with their events, reports this and waits to be killed. The transaction of the note `committed` is
 * committed, and that of the note `open` is not.
 */
import { compose, configSchema } from '../../src/composition.ts'
import { systemClock } from '../../src/core/clock.ts'
import { loadConfig } from '../../src/core/config.ts'
import { createLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { noteEvents, writeNote } from './events.ts'

const config = loadConfig(configSchema, { env: process.env, flags: {} })
const app = compose(config, { clock: systemClock, random: systemRandom, log: createLog('silent') })
app.events.register({ events: noteEvents })
await app.core.transact((tx) => writeNote(app, tx, 'committed'))
await app.core.transact(async (tx) => {
  await writeNote(app, tx, 'open')
  process.stdout.write('written\n')
  setInterval(() => undefined, 1_000)
  await new Promise(() => undefined)
})
