import { CommanderError } from 'commander'
import packageFile from '../../package.json' with { type: 'json' }
import { gatehouse } from '../composition.ts'
import { hasUndecodable } from '../core/input-text.ts'
import { isLoss, writeOutput } from '../core/output/written.ts'
import { explainFailure } from '../core/start.ts'
import { formatFailure, type Terminal, UsageError } from '../core/terminal.ts'
import { checkConfigCommand } from './check-config.ts'
import { GatehouseCommand, watchFlag } from './command.ts'
import { completionCommand } from './completion/command.ts'
import { addGlobalOptions, type Globals, isJsonWanted, processTerminal } from './globals.ts'
import { configureHelp } from './help.ts'
import { initCommand } from './init/command.ts'
import { migrateCommand } from './migrate.ts'
import { loginCommands } from './remote/command.ts'
import { requireHere } from './remote/remote.ts'
import { createShell } from './run.ts'
import { serveCommand } from './serve.ts'

/**
 * Makes the program with all commands. `argv` contains the arguments, which are needed before they are parsed: with `--json`, errors
 * about wrong usage are JSON, too. `finish` is called with the exit code of a command that ends without an error, but not with 0.
 */
export const createProgram = (
  terminal: Terminal = processTerminal(),
  argv: readonly string[] = [],
  finish: (exitCode: number) => void = () => undefined,
): GatehouseCommand => {
  const program = new GatehouseCommand('gatehouse')
  const globals = (): Globals => program.opts()
  const running = { watch: undefined as unknown, hasConfiguration: false, isRepair: false }
  const shell = createShell(terminal, globals, () => ({
    watchSeconds: watchFlag(running.watch),
    hasConfiguration: running.hasConfiguration,
    isRepair: running.isRepair,
  }))

  addGlobalOptions(program)
  program
    .description('Self-hosted identity server: sign-in, organizations, OpenID Provider.')
    .version(packageFile.version)
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text, (error) => isLoss(error) && finish(3)),
      writeErr: (text) => void terminal.stderr.write(text),
      getOutHelpWidth: () => (terminal.stdout.isTTY === true ? (terminal.stdout.columns ?? 80) : 120),
      outputError: (text, write) => {
        const message = text.replace(/^error: /, '').trim()
        write(isJsonWanted(argv) ? `${JSON.stringify({ code: 'USAGE', message })}\n` : `gatehouse: ${message}\n`)
      },
    })
    .hook('preAction', (_, command) => {
      requireHere(command.name(), globals(), terminal)
      running.watch = command.opts()['watch']
      running.hasConfiguration = command instanceof GatehouseCommand && command.hasConfiguration
      running.isRepair = command instanceof GatehouseCommand && command.isRepair
    })
    .exitOverride()

  configureHelp(program)
  initCommand(program, shell)
  serveCommand(program, shell, finish)
  // A daemon would keep the hundred other commands in memory as long as it runs.
  if (argv[0] === 'serve') return program
  migrateCommand(program, shell)
  checkConfigCommand(program, shell)
  completionCommand(program, shell)
  loginCommands(program, shell)
  for (const add of gatehouse.commands) add(program, shell)
  return program
}

/** Runs one command line, prints errors, and returns the exit code. */
export const runProgram = async (argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> => {
  let exitCode = 0
  const program = createProgram(terminal, argv, (code) => {
    exitCode = code
  })
  // Write errors on standard output are handled where it is written. A write error on standard error cannot be reported anywhere.
  for (const stream of [terminal.stdout, terminal.stderr]) stream.on('error', () => undefined)
  try {
    if (argv.some(hasUndecodable))
      throw new UsageError('an argument is not valid UTF-8: set the terminal, or the script, to UTF-8')
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode !== 0) return 2
    if (error instanceof CommanderError) {
      await writeOutput(terminal.stdout, '').catch(() => undefined)
      return exitCode
    }
    const failure = formatFailure(explainFailure(error), isJsonWanted(argv))
    terminal.stderr.write(failure.text)
    return failure.exitCode
  }
}
