#!/usr/bin/env node
// Plain JavaScript on purpose: it must parse on old Node versions and run from inside node_modules.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const minimumNode = 24
const here = (path) => new URL(path, import.meta.url)

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

const run = async () => {
  // Password hashing, SQLite, files and name lookups share libuv's threads; four are too few. Read once, at the first use.
  process.env['UV_THREADPOOL_SIZE'] ??= '8'
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  const source = here('../src/main.ts')
  const { main } = await import(existsSync(source) ? source : here('../dist/src/main.js'))
  process.exitCode = await main(process.argv.slice(2))
}

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
