import type { Command } from 'commander'
import type { SystemCaller } from './core/caller.ts'
import type { ErrorTable } from './core/errors.ts'
import type { Job } from './core/jobs.ts'
import type { SealedColumn } from './core/table.ts'
import type { Route } from './http/handlers.ts'

/** What a feature returns to the composition root. Removing it there removes the feature. */
export interface Feature {
  readonly routes?: readonly Route[]
  readonly jobs?: readonly Job[]
  readonly errors?: ErrorTable
  /** Columns whose values are sealed with the master secret: a change of the secret goes through all of them. */
  readonly sealedColumns?: readonly SealedColumn[]
  /** Run once before the first request, on a migrated database, by every node. */
  readonly prepare?: () => Promise<void>
}

/** What a command prints: `json` with `--json`, else `rows` as a table or `text` as it is. */
export interface Output {
  readonly json: unknown
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
  readonly text?: string
}

/** How commands reach the application and the terminal. */
export interface Cli<Needs> {
  /** Opens the application beside a running daemon, does the work as `system`, prints what it returns and closes. */
  run(work: (app: Needs, caller: SystemCaller) => Promise<Output>): Promise<void>
  /** A password or secret: the first line of standard input with `--…-stdin`, else a prompt without echo. Never an argument. */
  readSecret(label: string, fromStdin: boolean): Promise<string>
  /** Asks before something is destroyed, unless `isConfirmed` (the flag `--yes`) says it already. Throws `UsageError`. */
  confirm(isConfirmed: boolean, consequence: string, word?: string): Promise<void>
}

/** Adds the commands of a feature to the program. */
export type Commands<Needs> = (program: Command, cli: Cli<Needs>) => void
