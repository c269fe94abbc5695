/**
 * For files of which only some tests can differ between the databases. `npm test` runs such a file on PostgreSQL too, with the tests defined by `testOnBoth`
 * and no others; `npm run test:full` runs all of them on both databases. Plain `test` and `describe` come from here in these files.
 */
import { describe as anyDescribe, test as anyTest } from 'vitest'

/** Stands in for `test` and its variants (`test.each`, `test.runIf`) where a test does not run: nothing is registered, so nothing counts as skipped. */
const unregistered: unknown = new Proxy(() => undefined, {
  get: () => () => unregistered,
  apply: () => unregistered,
})

const runsEverything = process.env['GATEHOUSE_TEST_DB'] !== 'postgres' || process.env['GATEHOUSE_TEST_FULL'] === '1'
const whereEverythingRuns = <T>(it: T): T => (runsEverything ? it : (unregistered as T))

/** A test whose subject is the same on either database. */
export const test = whereEverythingRuns(anyTest)
export const describe = whereEverythingRuns(anyDescribe)

/**
 * A test whose subject differs where databases differ: two requests or transactions at one moment, a second node of the instance, the plan of a
 * statement, what one database alone does. `test/unit/database-rule.test.ts` finds tests that should be marked so.
 */
export const testOnBoth = anyTest
/** A group with such tests. */
export const describeOnBoth = anyDescribe
