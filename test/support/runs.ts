/**
 * Number of runs of a property test: 25 for each push, and 200 at night (`npm run test:nightly`). On PostgreSQL it is 5 for each push,
 * because a run takes five times as long there and repeats the sequences of SQLite. Tests of pure functions run four times as often
 * (`property-seed.ts`), or a multiple of that.
 */
export const runs = Number(process.env['GATEHOUSE_TEST_RUNS'] ?? (process.env['GATEHOUSE_TEST_DB'] === 'postgres' ? 5 : 25))
