import type { Reporter } from 'vitest/node'

/** Says after the summary which tests passed only when they were run once more, and why they failed before. */
export const repeatedReporter: Reporter = {
  onTestRunEnd: (modules) => {
    for (const { children, project, relativeModuleId } of modules)
      for (const test of children.allTests('passed')) {
        if (test.diagnostic()?.flaky !== true) continue
        const [first = ''] = test.result().errors?.map(({ message }) => message.split('\n')[0]) ?? []
        process.stdout.write(`passed at the second try: ${project.name} ${relativeModuleId} > ${test.fullName} (${first})\n`)
      }
  },
}
