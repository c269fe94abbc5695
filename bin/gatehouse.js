#!/usr/bin/env node
// Plain JavaScript on purpose: it must parse on old Node versions and run from inside node_modules.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const minimumNode = 24
const here = (path) => new URL(path, import.meta.url)

/**
 * Ends process 1, that of a container, by a signal for which the program does not listen yet or any more; the system ends any other process. Until here
 * Node has handlers of its own, which the first signal takes away and which cannot end process 1: one that is gone was called.
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
    // At a terminal the child is sent Ctrl-C and hang-up too; passing them on would make two of one.
    process.on(signal, () => (signal === 'SIGTERM' || !process.stdin.isTTY) && child.kill(signal))
  }
  child.on('error', (error) => {
    process.stderr.write(`gatehouse: cannot start ${node}: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

/** The built program. A checkout builds it when its sources have changed; where it has no bundler or may not write, the sources themselves. */
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
    // As for a service whose user may not write to the checkout.
    const why = /^.*Error: (.*)$/m.exec(String(error.stderr))?.[1] ?? error.message
    process.stderr.write(`gatehouse: no bundle can be written (${why}); the sources run, which takes longer to start\n`)
    return here('../src/main.ts')
  }
}

/**
 * Some things of a daemon are read when a process begins, so it begins anew with them, as the same process. Each of the allocator's arenas (glibc)
 * keeps the memory of the largest password hash that it held; a small young generation, and a heap
 * that is collected when it has doubled, save a third under load for no measurable time; `gc` lets the daemon give back what its start alone has
 * needed, and compiled functions outlive that collection, which would drop them. V8 would soon make the listeners of a response in old memory, whence
 * they keep the whole request until that is collected: a fifth to a third of the processor time of short requests.
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
  // Password hashing, SQLite, files and name lookups share libuv's threads; four are too few. Read once, at the first use.
  process.env['UV_THREADPOOL_SIZE'] ??= '8'
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
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
