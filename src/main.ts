import packageFile from '../package.json' with { type: 'json' }
import { standardOutput, writeOutput } from './core/output/written.ts'
import { nameSourcesInStackTraces } from './core/stack-traces.ts'
import type { Terminal } from './core/terminal.ts'

/** Runs one command on a terminal, by default that of the process. Returns the exit code: 0 done, 1 a bug, 2 wrong usage, 3 refused. */
export const main = async (argv: readonly string[], given?: Terminal): Promise<number> => {
  // Only for a process of its own. Tests pass a terminal, and read traces themselves.
  if (given === undefined) nameSourcesInStackTraces()
  // Answered before other modules are loaded, because loading the whole program takes half a second of processor time.
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
