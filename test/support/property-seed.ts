import fc from 'fast-check'
import { runs } from './runs.ts'

/**
 * Sets the seed for every property test (`vitest.config.ts`). It is fixed, so that a run can be repeated. Only a nightly run draws a
 * random seed.
 */
fc.configureGlobal({ seed: Number(process.env['GATEHOUSE_TEST_SEED']), numRuns: 4 * runs })
