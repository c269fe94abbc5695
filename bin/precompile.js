/**
 * Runs a command and the daemon once, on a temporary database, so that `bin/loader.js` stores their compiled code beside the bundle. The
 * build of the image runs this as the user who owns the bundle, because containers may not write there.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(new URL('gatehouse.js', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
const environment = { ...process.env, GATEHOUSE_DATA_DIR: directory, GATEHOUSE_HOST: '127.0.0.1', GATEHOUSE_PORT: '0' }
// If this variable is set, the launcher does not add the options of Node with which the image starts the daemon.
delete environment['MALLOC_ARENA_MAX']
try {
  execFileSync(process.execPath, [launcher, 'migrate'], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] })
  const daemon = spawn(process.execPath, [launcher, 'serve'], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  daemon.stderr.on('data', (text) => {
    log += text
    if (log.includes('gatehouse is ready')) daemon.kill()
  })
  const [code] = await once(daemon, 'close')
  if (code !== 0) throw new Error(`the daemon ended with ${code}: ${log}`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
