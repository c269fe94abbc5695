import fc from 'fast-check'
import { runs } from './runs.ts'

/**
 * Tries a property `runs` times, and on with other seeds until `isReached`: which of two requests is faster decides what the others find, so a few runs
 * leave out a call now and then. After ten times as many the caller's assertion names what was not reached.
 */
export const explore = async <T>(property: fc.IAsyncProperty<T>, isReached: () => boolean): Promise<void> => {
  const seed = Number(process.env['GATEHOUSE_TEST_SEED'])
  for (let round = 0; round === 0 || (round < 10 && !isReached()); round += 1)
    await fc.assert(property, { seed: seed + round, numRuns: runs, endOnFailure: true })
}
