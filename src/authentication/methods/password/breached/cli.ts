import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../../../core/clock.ts'
import { StartError } from '../../../../core/start.ts'
import { systemFailureOf } from '../../../../core/system-failure.ts'
import { parseFlags } from '../../../../core/terminal.ts'
import type { Commands } from '../../../../feature.ts'
import type { importBreached } from './importing.ts'

/** The name in the data directory of the file with breached passwords. */
export const breachedFile = 'breached.hashes'

interface Needs {
  readonly core: { readonly clock: Clock }
  readonly config: { readonly dataDir: string }
}

const Flags = z.object({
  from: z.string().min(1),
  to: z.string().min(1).optional(),
  minimumCount: z.coerce.number().pipe(z.int().min(1).max(1_000_000_000)),
})

/** The number of bytes that are read at once. It is large, because the list has tens of gigabytes. */
const chunkBytes = 1024 * 1024

/**
 * Names the flag with the wrong path if the operating system refuses a file. Only the list is read; all other files are written next to
 * the output.
 */
const blaming = async <T>(from: string, to: string, work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    const failure = systemFailureOf(error)
    if (failure === undefined) throw error
    const isList = failure.path === from || failure.syscall === 'read'
    const [flag, file] = isList ? ['--from', from] : ['--to', to]
    throw new StartError('FILE_NOT_USABLE', `${flag}: ${file} ${failure.problem} (${failure.code}). ${failure.remedy}`, error)
  }
}

export const createBreachedCommands =
  (importList: typeof importBreached): Commands<Needs> =>
  (program, cli) => {
    program
      .command('import-breached')
      .inGroup('Instance')
      .description(
        'Make the file of breached passwords (password.breached.source: file) from a downloaded list of SHA-1 hashes with counts, one SHA1:COUNT a line. A running daemon takes it at the next password.',
      )
      .requiredOption('--from <file>', 'the list; - for standard input')
      .option('--minimum-count <number>', 'leave out passwords that were seen less often', '1')
      .option('--to <file>', 'the file to make (default: <data dir>/breached.hashes)')
      .examples(
        'import-breached --from pwned-passwords-sha1-ordered-by-hash.txt',
        'import-breached --from - --minimum-count 10 < pwned-passwords-sha1-ordered-by-hash.txt',
      )
      .action(async (flags: unknown) => {
        const { from, to, minimumCount } = parseFlags(Flags, flags)
        await cli.run(async ({ config, core }) => {
          const output = to ?? join(config.dataDir, breachedFile)
          const header = await blaming(
            from,
            output,
            importList({
              source: from === '-' ? cli.inputPieces() : createReadStream(from, { highWaterMark: chunkBytes }),
              output,
              minimumCount,
              createdAt: core.clock.now(),
              onProgress: cli.progress,
            }),
          )
          return {
            json: { file: output, ...header },
            text: `${output}: ${header.entries} breached ${header.entries === 1 ? 'password' : 'passwords'}`,
          }
        })
      })
  }
