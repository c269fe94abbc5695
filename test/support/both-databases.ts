/**
 * `test` and `describe` for files in which only some tests can differ between the databases. On PostgreSQL, `npm test` runs only the
 * tests of such a file that are defined by `testOnBoth`. `npm run test:full` runs all of them on both databases.
 */
import { describe as anyDescribe, test as anyTest } from 'vitest'

/** Replaces `test` and its variants (`test.each`, `test.runIf`) where a test does not run. It registers nothing, so nothing counts as skipped. */
const unregistered: unknown = new Proxy(() => undefined, {
  get: () => () => unregistered,
  apply: () => unregistered,
})

const runsEverything = process.env['GATEHOUSE_TEST_DB'] !== 'postgres' || process.env['GATEHOUSE_TEST_FULL'] === '1'
const whereEverythingRuns = <T>(it: T): T => (runsEverything ? it : (unregistered as T))

/** Defines a test whose subject is equal on both databases. */
export const test = whereEverythingRuns(anyTest)
export const describe = whereEverythingRuns(anyDescribe)

/**
 * Defines a test whose subject may differ between the databases: simultaneous requests or transactions, a second node, the plan of a
 * statement, or a function of one database only. `test/unit/database-rule.test.ts` finds tests that should use it.
 */
export const testOnBoth = anyTest
/** Defines a group of tests that run on both databases. */
export const describeOnBoth = anyDescribe
