import fc from 'fast-check'
import { runs } from './runs.ts'

/**
 * Tries a property `runs` times. If `isReached` is still false, it continues with other seeds, a fifth as many runs at a time. More runs
 * may be needed because the faster of two requests decides the result of the others. After ten times as many runs it stops, and the
 * caller's assertion names what was not reached.
 */
export const explore = async <T>(property: fc.IAsyncProperty<T>, isReached: () => boolean): Promise<void> => {
  const seed = Number(process.env['GATEHOUSE_TEST_SEED'])
  const few = Math.ceil(runs / 5)
  for (let tries = 0; tries === 0 || (tries < 10 * runs && !isReached()); tries += tries === 0 ? runs : few)
    await fc.assert(property, { seed: seed + tries, numRuns: tries === 0 ? runs : few, endOnFailure: true })
}
