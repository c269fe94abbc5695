/** `npm run demo` starts gatehouse and an application whose users sign in through it. Ctrl-C stops both. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PortTaken, startDemo } from './start.ts'

const dataDir = process.env['DEMO_DATA_DIR'] ?? fileURLToPath(new URL('../../data/demo', import.meta.url))
const demo = await startDemo({
  port: Number(process.env['DEMO_PORT'] ?? 3000),
  appPort: Number(process.env['RP_PORT'] ?? 8080),
  dataDir,
}).catch((error: unknown) => {
  if (!(error instanceof PortTaken)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(3)
})

process.stdout.write(`
  Example application   ${demo.appUrl}      <- open this one and sign in
  gatehouse             ${demo.url}

  Ctrl-C stops both. Accounts are kept in ${relative('', dataDir)}; delete the directory to begin anew.
`)

// npm also passes on a Ctrl-C that this process has already got from the terminal.
let isStopping = false
const stop = () => {
  if (!isStopping) void demo.stop()
  isStopping = true
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
await demo.ended
