import type { Db } from '../core/db/database.ts'
import type { ChainFault } from '../core/events/misfits.ts'
import type { Progress, Verification } from '../core/events/verify.ts'
import { compareFile, compareFileIfAny, type FileComparison } from './copies/compare.ts'

/** The result of verifying the chain, and of comparing it with files. */
export interface CopiesVerification extends Verification {
  readonly copies: readonly { readonly copy: string; readonly compared: number }[]
}

const faultOf = (copy: string, { first, differing }: FileComparison): readonly ChainFault[] =>
  first === undefined
    ? []
    : [
        {
          kind: 'copy differs',
          position: first.position,
          message: `${copy} has events that the chain does not have, or has otherwise, from here on: ${differing}`,
        },
      ]

/** Verifies the chain. Then compares it with the configured copy in a file, if there is one, and with other files. */
export async function* verifyCopies(
  db: Db,
  steps: AsyncGenerator<Progress, Verification>,
  file: string | undefined,
  others: readonly string[],
): AsyncGenerator<Progress, CopiesVerification> {
  const result = yield* steps
  const own = file === undefined ? undefined : await compareFileIfAny(db, file)
  const found: (readonly [string, FileComparison])[] = file === undefined || own === undefined ? [] : [[file, own]]
  for (const path of others) found.push([path, await compareFile(db, path)])
  return {
    ...result,
    copies: found.map(([copy, { compared }]) => ({ copy, compared })),
    faults: [...result.faults, ...found.flatMap(([copy, comparison]) => faultOf(copy, comparison))].sort(
      (a, b) => a.position - b.position,
    ),
  }
}

/**
 * Yields the progress and finally the result of a verification, each as a JSON object on a line. The lines also keep the connection open
 * while the verification runs.
 */
export async function* verificationLines(
  steps: AsyncGenerator<Progress, CopiesVerification | undefined>,
): AsyncGenerator<string> {
  try {
    for (;;) {
      const step = await steps.next()
      yield `${JSON.stringify(step.done === true ? { result: step.value } : { progress: step.value })}\n`
      if (step.done === true) return
    }
  } finally {
    // If the client closes the connection, the verification ends, too.
    await steps.return(undefined)
  }
}
