import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { OutputFormat } from '../core/output/format.ts'
import { writeOutput } from '../core/output/written.ts'
import { parseFlags, type Terminal, UsageError } from '../core/terminal.ts'

const Watch = z.object({ watch: z.coerce.number().min(0.1).max(86_400) })

/** The escape sequence that clears the terminal and its scrollback. */
const clear = '\u001b[H\u001b[2J\u001b[3J'

/** The lines that were not in the output of the run before. */
const changedSince = (before: ReadonlySet<string>, lines: readonly string[]) => lines.filter((line) => !before.has(line))

/** A signal that is aborted by the next Ctrl-C. If the terminal already has such a signal, it is returned. */
const interruptOf = ({ interrupted }: Terminal): AbortSignal => {
  if (interrupted !== undefined) return interrupted
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

/**
 * Repeats `work` and prints the text that it returns, until it is interrupted or nobody reads the output. A terminal is cleared each time
 * and shows the newest result. `--output jsonl` prints only rows that are new or changed, oldest first, because lists begin with the
 * newest. Throws `UsageError` for any other format.
 */
export const watch = async (
  terminal: Terminal,
  given: string,
  format: OutputFormat,
  work: () => Promise<string>,
): Promise<void> => {
  const { watch: seconds } = parseFlags(Watch, { watch: given })
  const isStream = format === 'jsonl'
  if (!isStream && (terminal.stdout.isTTY !== true || format !== 'table'))
    throw new UsageError('--watch shows a table at a terminal; elsewhere pass --output jsonl, which prints what is new')
  const signal = interruptOf(terminal)
  let seen: ReadonlySet<string> = new Set()
  let isRead = true
  while (!signal.aborted && isRead) {
    const text = await work()
    if (isStream) {
      const lines = text.split('\n').filter((line) => line !== '')
      isRead = await writeOutput(
        terminal.stdout,
        changedSince(seen, lines)
          .toReversed()
          .map((line) => `${line}\n`)
          .join(''),
      )
      seen = new Set(lines)
    } else isRead = await writeOutput(terminal.stdout, `${clear}Every ${seconds} s; Ctrl-C ends it.\n\n${text}`)
    await sleep(seconds * 1_000, undefined, { signal }).catch(() => undefined)
  }
}
