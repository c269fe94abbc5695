import { CommanderError } from 'commander'
import { isJsonWanted, processTerminal } from './cli/globals.ts'
import { createProgram } from './cli/program.ts'
import { formatFailure } from './core/terminal.ts'

/** Runs one command at a terminal, the process's own if none is given. Returns the exit code: 0 done, 1 a bug, 2 wrong usage, 3 refused. */
export const main = async (argv: readonly string[], terminal = processTerminal()): Promise<number> => {
  let exitCode = 0
  const program = createProgram(terminal, argv, (code) => {
    exitCode = code
  })
  // A reader that closes early (`| head`) is not an error.
  terminal.stdout.on('error', () => undefined)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const failure = formatFailure(error, isJsonWanted(argv))
    terminal.stderr.write(failure.text)
    return failure.exitCode
  }
}
