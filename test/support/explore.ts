import fc from 'fast-check'
import { runs } from './runs.ts'

/**
 * Tries a property `runs` times, and on with other seeds, a fifth as often at a time, until `isReached`: which of two requests is faster decides what the others find, so a few runs
 * leave out a call now and then. After ten times as many the caller's assertion names what was not reached.
 */
export const explore = async <T>(property: fc.IAsyncProperty<T>, isReached: () => boolean): Promise<void> => {
  const seed = Number(process.env['GATEHOUSE_TEST_SEED'])
  const few = Math.ceil(runs / 5)
  for (let tries = 0; tries === 0 || (tries < 10 * runs && !isReached()); tries += tries === 0 ? runs : few)
    await fc.assert(property, { seed: seed + tries, numRuns: tries === 0 ? runs : few, endOnFailure: true })
}
