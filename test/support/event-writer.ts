/** A process that writes a note with its event, reports this and waits to be killed. It stops `before` its transaction commits, or `after`. */
import { compose, configSchema } from '../../src/composition.ts'
import { systemClock } from '../../src/core/clock.ts'
import { loadConfig } from '../../src/core/config.ts'
import { createLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { noteEvents, writeNote } from './events.ts'

const [, , when = ''] = process.argv
const config = loadConfig(configSchema, { env: process.env, flags: {} })
const app = compose(config, { clock: systemClock, random: systemRandom, log: createLog('silent') })
app.events.register({ events: noteEvents })
const saySo = () => {
  process.stdout.write('written\n')
  setInterval(() => undefined, 1_000)
}
await app.core.transact(async (tx) => {
  await writeNote(app, tx, when)
  if (when !== 'before') return
  saySo()
  await new Promise(() => undefined)
})
saySo()
