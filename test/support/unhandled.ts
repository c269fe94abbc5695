import { writeFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/** Writes the number of errors that belong to no test into a file beside the machine-readable results, which lack them. */
export const unhandledReporter = (resultsFile: string): Reporter => ({
  onTestRunEnd: (_modules, errors) => writeFileSync(`${resultsFile}.unhandled`, String(errors.length)),
})
