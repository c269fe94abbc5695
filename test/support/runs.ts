/**
 * How often a property test with a database tries: 25 times for each push, 200 times at night (`npm run test:nightly`). Tests of pure functions try
 * four times as often by themselves (`property-seed.ts`), or name a multiple of it.
 */
export const runs = Number(process.env['GATEHOUSE_TEST_RUNS'] ?? 25)
