/** The order of test files (`vitest.config.ts`). */
import { expect, test } from 'vitest'
import type { TestSpecification, Vitest } from 'vitest/node'
import { MixedSequencer } from '../support/sequence.ts'

const projects = ['browser', 'sqlite'].map((name) => ({ name, config: { sequence: { groupOrder: 0 }, isolate: false } }))
/** File `n` of each project takes `n` seconds. */
const files = projects.flatMap((project) =>
  Array.from({ length: 40 }, (_, n) => ({ project, moduleId: `/root/test/${project.name}/${n}.test.ts`, seconds: n })),
)
const sequencer = new MixedSequencer({
  config: { root: '/root' },
  cache: { getTestSpecificationResult: ({ seconds }: { seconds: number }) => ({ failed: false, duration: 1000 * seconds }) },
} as unknown as Vitest)
const sort = async (given: typeof files) =>
  (await sequencer.sort(given as unknown as TestSpecification[])) as unknown as typeof files

test('files of a project stay together, long and short ones mixed in an order that is always the same, and the shortest come last', async () => {
  const sorted = await sort(files)
  expect(new Set(sorted)).toEqual(new Set(files))
  expect(sorted.map(({ project }) => project.name)).toEqual(['browser', 'sqlite'].flatMap((name) => Array(40).fill(name)))
  const seconds = sorted.slice(0, 40).map((file) => file.seconds)
  expect(seconds.slice(30)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  const longest = [39, 38, 37, 36, 35].map((one) => seconds.indexOf(one)).sort((a, b) => a - b)
  expect(longest, 'not all at the beginning').not.toEqual([0, 1, 2, 3, 4])
  expect(await sort(files.toReversed())).toEqual(sorted)
})
