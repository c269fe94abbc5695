import type { Reporter, TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Why no test of this project can run on this machine. */
    absent: string
  }
}

/** Something the tests need is not to be had on this machine. A thing that is there but fails is an ordinary error. */
export class Absent extends Error {}

/** Runs a project's set-up. What is absent skips all of the project's tests, counted and named, instead of failing them. */
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

/** Says after the summary which tests did not run and why. */
export const absentReporter: Reporter = {
  onTestRunEnd: (modules) => {
    const reasons = new Map(modules.map(({ project }) => [project.name, project.getProvidedContext().absent]))
    for (const [name, reason] of reasons) if (reason !== undefined) process.stdout.write(`skipped: ${name} tests (${reason})\n`)
  },
}
