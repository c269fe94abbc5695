import type { Reporter, TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The reason why no test of this project can run on this machine. Undefined if the tests can run. */
    absent: string
  }
}

/** The error for a tool that the tests need and that this machine does not have. A tool that exists but fails causes an ordinary error. */
export class Absent extends Error {}

/** Runs a project's set-up. If it throws `Absent`, all tests of the project are skipped and counted as skipped, and the reason is stored. */
export const skipWhenAbsent = async <T>(project: TestProject, setUp: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await setUp()
  } catch (error) {
    if (!(error instanceof Absent)) throw error
    project.config.testNamePattern = /(?!)/
    project.provide('absent', error.message)
    return undefined
  }
}

/** Writes after the summary which projects did not run, and why. */
export const absentReporter: Reporter = {
  onTestRunEnd: (modules) => {
    const reasons = new Map(modules.map(({ project }) => [project.name, project.getProvidedContext().absent]))
    for (const [name, reason] of reasons) if (reason !== undefined) process.stdout.write(`skipped: ${name} tests (${reason})\n`)
  },
}
