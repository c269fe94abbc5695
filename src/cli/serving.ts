import { AsyncLocalStorage } from 'node:async_hooks'
import { statSync } from 'node:fs'
import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { z } from 'zod'
import { type App, type Runtime, readStored, type StoredSettings, storedVersion } from '../composition.ts'
import { ConfigError, type ConfigReader } from '../core/config.ts'
import type { Configuration } from '../core/configuration.ts'
import type { Node } from '../core/node.ts'
import { boundServer, createServer } from '../http/listen.ts'
import type { Handler } from '../http/server.ts'

/** Everything that is built from one configuration: features, jobs and the request handler. When settings change, a new generation is built. */
interface Generation {
  readonly app: App
  readonly version: number
  readonly handle: Handler
  /** Returns how many requests this generation is working on. */
  readonly open: () => number
}

/** A node that serves requests, and puts changed settings into effect. */
export interface Serving {
  /** The HTTP server. It stays the same when a new generation is built. */
  readonly server: Server
  /** Returns the application of the current generation. */
  current(): App
  /** Returns how many requests the node is working on. */
  open(): number
  /** Starts the jobs, and begins to follow changes of settings. */
  start(): void
  /** Puts the settings in the database into effect. Resolves when they are in effect, or when it is clear that they cannot be used. */
  reload(): Promise<void>
  /** Stops the jobs of all generations. */
  stop(graceMs?: number): Promise<void>
}

interface Options {
  readonly compose: (config: App['config'], runtime: Runtime<App['config']>, node: Node) => App
  readonly runtime: Omit<Runtime, 'read' | 'following'>
  /** Reads the configuration from its sources: file, environment and options. */
  readonly read: ConfigReader<z.ZodType<App['config']>>
  readonly node: Node
  /** Called with each configuration that takes effect. */
  readonly onConfig?: (config: App['config']) => void
}

/** How often the SQLite file is checked for changes, in milliseconds. */
const lookMs = 250
/** How long the node waits before it tries again to use a configuration that could not take effect, in milliseconds. */
const retryMs = 30_000
/** How many old generations may still be finishing their requests. If there are more, a further change of settings waits for the oldest. */
const mostEnding = 3

/**
 * Calls `look` after any process has written to the SQLite file. SQLite does not notify other processes, so the file is checked again and
 * again. Returns a function that stops this.
 */
const watchFile = (file: string, look: () => void): (() => void) => {
  const stateOf = () => {
    const { mtimeMs, size } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 }
    return `${mtimeMs} ${size}`
  }
  let last = stateOf()
  const timer = setInterval(() => {
    const now = stateOf()
    if (now !== last) look()
    last = now
  }, lookMs).unref()
  return () => clearInterval(timer)
}

/** Wraps a request handler, and counts the requests that it is working on. */
const counted = (handler: Handler) => {
  let open = 0
  const handle: Handler = (req, res) => {
    open += 1
    res.once('close', () => {
      open -= 1
    })
    handler(req, res)
  }
  return { handle, open: () => open }
}

/** Explains in a sentence why a configuration cannot take effect. */
const problemOf = (error: unknown): string =>
  error instanceof ConfigError ? error.problems.join('; ') : error instanceof Error ? error.message : String(error)

/**
 * Serves with the settings in the database. A feature gets its configuration when it is built, so after a change of settings all features
 * are built again. They keep the node's database, secrets and counters. When the new features are ready, they get all new requests, and
 * the old features end after their last request. If the new features cannot be built, the old ones continue.
 */
export const createServing = async ({ compose, runtime, read, node, onConfig }: Options): Promise<Serving> => {
  const { log } = node
  let failed: { readonly version: number; readonly problem: string; readonly at: number } | undefined
  let isRunning = false
  let isStopping = false
  let unwatch = () => {}
  const ending = new Set<Promise<void>>()

  const build = async (stored: StoredSettings): Promise<Generation> => {
    const evaluated = read.evaluate(stored.settings)
    const app = compose(evaluated.config, { ...runtime, read: evaluated, following }, node)
    return { app, version: stored.version, ...counted(await app.handler()) }
  }

  /**
   * Ends a generation that gets no new requests. It first waits for its requests and then stops its jobs, because requests may still
   * enqueue work for these jobs.
   */
  const end = async ({ app, open }: Generation) => {
    const { shutdownSeconds } = app.config.http
    const until = performance.now() + shutdownSeconds * 1000
    app.drain()
    while (open() > 0 && performance.now() < until && !isStopping) await pause(20, undefined, { ref: false })
    await app.jobs.stop(shutdownSeconds * 800)
    app.release()
  }

  const renew = async () => {
    const version = await storedVersion(node)
    if (version === current.version || isStopping) return
    if (failed?.version === version && performance.now() - failed.at < retryMs) return
    let next: Generation | undefined
    try {
      next = await build(await readStored(node))
      await next.app.prepare({ isReload: true })
      if (isStopping) return
      const former = current
      current = next
      failed = undefined
      boundServer(server, next.app.config.http)
      onConfig?.(next.app.config)
      if (isRunning) next.app.jobs.start()
      log.info({ version: next.version }, 'settings have changed')
      const ended = end(former).catch((err: unknown) => log.error({ err }, 'features with the former settings did not end'))
      ending.add(ended)
      void ended.finally(() => ending.delete(ended))
      if (ending.size > mostEnding) await Promise.race(ending)
    } catch (err) {
      next?.app.release()
      failed = { version, problem: problemOf(err), at: performance.now() }
      log.error({ err, version }, 'settings could not be brought into effect: this node goes on with the former ones')
    }
  }
  // New features are built outside of the request that changed a setting. Otherwise their timers would belong to the trace of that
  // request, and the trace would never end.
  const outside = AsyncLocalStorage.snapshot()
  let last: Promise<void> = Promise.resolve()
  const reload = () => {
    if (!isStopping)
      last = last
        .then(() => outside(renew))
        .catch((err: unknown) => log.error({ err }, 'settings could not be read: this node goes on'))
    return last
  }
  const following: Pick<Configuration, 'reload' | 'state'> = {
    reload,
    state: () => ({ version: current.version, problem: failed?.problem }),
  }

  let current = await build(await readStored(node))
  const server = createServer(current.app.config.http, (req, res) => current.handle(req, res))
  onConfig?.(current.app.config)

  return {
    server,
    current: () => current.app,
    open: () => current.open(),
    start: () => {
      isRunning = true
      current.app.jobs.start()
      if (node.database.dialect === 'sqlite') unwatch = watchFile(node.database.name, () => void reload())
    },
    reload,
    stop: async (graceMs) => {
      isStopping = true
      unwatch()
      await last
      await Promise.all([current.app.jobs.stop(graceMs), ...ending])
    },
  }
}
