#!/usr/bin/env node
// This file is plain JavaScript, because old versions of Node have to parse it and it has to run inside of node_modules.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const minimumNode = 24
const here = (path) => new URL(path, import.meta.url)

/**
 * Makes signals end process 1 (the process of a container) while the program does not listen for them, before it starts and after it has
 * stopped listening. The system does so for every other process. At first Node itself catches signals. The first signal removes Node's
 * handler, which cannot end process 1, so a missing handler shows that a signal has arrived.
 */
const endBySignals = () => {
  if (process.pid !== 1) return
  const end = (signal) => process.exit(process.argv.includes('serve') ? 0 : 128 + constants.signals[signal])
  const caught = /^SigCgt:\s*(\w+)$/m.exec(existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '')
  for (const signal of ['SIGTERM', 'SIGINT'])
    if (caught !== null && ((BigInt(`0x${caught[1]}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 0n) end(signal)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => process.listenerCount(signal) === 1 && end(signal))
}

const rerunWith = (node) => {
  const child = spawn(node, [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    // At a terminal, the child gets Ctrl-C and hang-up by itself. If they were passed on, it would get them twice.
    process.on(signal, () => (signal === 'SIGTERM' || !process.stdin.isTTY) && child.kill(signal))
  }
  child.on('error', (error) => {
    process.stderr.write(`gatehouse: cannot start ${node}: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

/**
 * The address of the program. A checkout builds the program when its sources have changed. If a checkout has no bundler or cannot be
 * written to, its sources run.
 */
const program = async () => {
  if (!existsSync(here('../src/main.ts'))) return here('../dist/gatehouse.js')
  if (!existsSync(here('../node_modules/rolldown'))) return here('../src/main.ts')
  const { digestOfSources } = await import('./sources.js')
  const bundle = here(`../dist/${digestOfSources()}/main.js`)
  if (existsSync(bundle)) return bundle
  try {
    execFileSync(process.execPath, [fileURLToPath(here('bundle.ts'))], { stdio: ['ignore', 2, 'pipe'] })
    return bundle
  } catch (error) {
    // For example, the user of a service may not write to the checkout.
    const why = /^.*Error: (.*)$/m.exec(String(error.stderr))?.[1] ?? error.message
    process.stderr.write(`gatehouse: no bundle can be written (${why}); the sources run, which takes longer to start\n`)
    return here('../src/main.ts')
  }
}

/**
 * Replaces this process by one with other settings, because a process reads them only when it begins. With `MALLOC_ARENA_MAX` the allocator
 * of glibc has few arenas; each of them keeps the memory of the largest password hash that it has held. The first two flags (a small young
 * generation, and a heap that is collected when it has doubled) save a third of the memory under load, for no measurable time. With
 * `--expose-gc` the daemon can return the memory that only its start needed. `--no-flush-bytecode` keeps compiled functions, which that
 * collection would drop. Without `--no-allocation-site-pretenuring`, V8 would soon allocate the listeners of each response in old memory, where they
 * keep the whole request until that memory is collected; this takes up to a third of the processor time of short requests.
 */
const restartWithLittleMemory = () => {
  const isSet = process.env['MALLOC_ARENA_MAX'] !== undefined
  if (isSet || process.platform !== 'linux' || process.execve === undefined || !process.argv.includes('serve')) return
  const flags = [
    '--max-semi-space-size=8',
    '--heap-growing-percent=100',
    '--no-allocation-site-pretenuring',
    '--expose-gc',
    '--no-flush-bytecode',
    ...process.execArgv,
  ]
  const args = [process.execPath, ...flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  process.execve(process.execPath, args, { ...process.env, MALLOC_ARENA_MAX: '2' })
}

const run = async () => {
  restartWithLittleMemory()
  // Password hashing, SQLite, files and name lookups share the threads of libuv, and its default of four is too small. libuv reads the
  // number once, when it first needs a thread.
  process.env['UV_THREADPOOL_SIZE'] ??= '8'
  const { main } = await import(await program())
  process.exitCode = await main(process.argv.slice(2))
}

endBySignals()
const bundledNode = fileURLToPath(here('../node_modules/node/bin/node'))
if (Number.parseInt(process.versions.node, 10) >= minimumNode) {
  await run()
} else if (existsSync(bundledNode)) {
  rerunWith(bundledNode)
} else {
  process.stderr.write(
    `gatehouse needs Node ${minimumNode} or newer; this is ${process.version}.\n` +
      'Install it from https://nodejs.org, or run "npm ci" in the checkout: it brings a fit Node along.\n',
  )
  process.exitCode = 1
}
