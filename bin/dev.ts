/**
 * Development with one command. The daemon restarts when its source changes. Vite serves the pages, and passes calls of the API on to the
 * daemon.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const start = (...args: readonly string[]) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })

const children = [
  start('--watch', '--watch-preserve-output', 'bin/source.ts', 'serve', ...process.argv.slice(2)),
  start('node_modules/vite/bin/vite.js', '--config', 'admin-ui/vite.config.ts'),
]

const stop = (signal: NodeJS.Signals) => {
  for (const child of children) child.kill(signal)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
for (const child of children) {
  child.on('exit', (code) => {
    process.exitCode ??= code ?? 0
    stop('SIGTERM')
  })
}
