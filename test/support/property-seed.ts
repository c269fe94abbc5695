import fc from 'fast-check'
import { runs } from './runs.ts'

/** The run's seed for every property test (`vitest.config.ts`): fixed, so that a run can be repeated, unless a nightly run draws one. */
fc.configureGlobal({ seed: Number(process.env['GATEHOUSE_TEST_SEED']), numRuns: 4 * runs })
