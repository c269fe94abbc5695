/**
 * How often a property test tries: 25 times for each push, 200 times at night (`npm run test:nightly`). On PostgreSQL, where the same sequences are tried
 * again at five times the price, 10 times for each push. Tests of pure functions try four times as often (`property-seed.ts`), or name a multiple of it.
 */
export const runs = Number(process.env['GATEHOUSE_TEST_RUNS'] ?? (process.env['GATEHOUSE_TEST_DB'] === 'postgres' ? 10 : 25))
