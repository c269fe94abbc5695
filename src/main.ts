import packageFile from '../package.json' with { type: 'json' }
import { standardOutput, writeOutput } from './core/output/written.ts'
import { nameSourcesInStackTraces } from './core/stack-traces.ts'
import type { Terminal } from './core/terminal.ts'

/**
 * Runs one command on a terminal, by default on that of the process. Returns the exit code: 0 for success, 1 for a bug, 2 for wrong
 * usage, 3 if the command was refused.
 */
export const main = async (argv: readonly string[], given?: Terminal): Promise<number> => {
  // This is only done in a process of its own. Tests pass a terminal, and read stack traces themselves.
  if (given === undefined) nameSourcesInStackTraces()
  // The version is printed before other modules are loaded, because loading the whole program takes half a second of processor time.
  if (argv.length === 1 && /^(-V|--version)$/.test(argv[0] ?? '')) {
    const stdout = given?.stdout ?? standardOutput()
    return writeOutput(stdout, `${packageFile.version}\n`).then(
      () => 0,
      () => 3,
    )
  }
  const { runProgram } = await import('./cli/program.ts')
  return runProgram(argv, given)
}
