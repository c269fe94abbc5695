import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { textsByCatalogue } from './admin-ui/texts.ts'
import { absentReporter } from './test/support/absent.ts'
import './test/support/compile-cache.js'
import { areLookedAt, galleries } from './test/support/galleries.ts'
import { MixedSequencer } from './test/support/sequence.ts'
import { unhandledReporter } from './test/support/unhandled.ts'

/** Read by libuv when a worker starts: hashing, SQLite and files share these threads, as in production. */
process.env['UV_THREADPOOL_SIZE'] ??= '8'

/** Property tests: a fixed seed, so that every run of a change finds the same. A nightly run draws a fresh one and names it. */
const givenSeed = process.env['GATEHOUSE_TEST_SEED'] ?? '20261121'
process.env['GATEHOUSE_TEST_SEED'] = givenSeed === 'random' ? String(Date.now() % 2 ** 31) : givenSeed
if (givenSeed === 'random')
  process.stderr.write(`Property tests: repeat this run with GATEHOUSE_TEST_SEED=${process.env['GATEHOUSE_TEST_SEED']}\n`)

/** Where the check run wants the machine-readable results. */
const resultsFile = process.env['GATEHOUSE_TEST_RESULTS']

/** `npm run test:full`: everything on both databases, and through a pooler. */
const isFull = process.env['GATEHOUSE_TEST_FULL'] === '1'

// The name of a file says where it runs, and `test/unit/database-rule.test.ts` refuses a name that its content contradicts.
/** Needs no database, or one of its own choice. */
const everywhere = 'test/**/*.test.ts'
/** Needs a database: SQLite, and in a full run PostgreSQL too. */
const databaseTests = 'test/**/*.db.test.ts'
/** Is about what differs between databases (races, nodes, plans, schema, migrations, queue): runs on both, always. */
const bothDatabases = 'test/**/*.both.test.ts'
/** Has single tests of that kind, which alone run on PostgreSQL too. */
const mixedFiles = globSync(databaseTests).filter((path) => readFileSync(path, 'utf8').includes('support/both-databases.ts'))
/** Opens both databases and compares them. */
const storeTests = 'test/**/*.store.test.ts'
const browserTests = 'test/browser/**/*.test.ts'
/** Imports the modules of pages. */
const pageTests = 'test/unit/pages/**/*.test.ts'

/** What is run through a pooler: all that has to do with transactions and sessions of PostgreSQL. */
const pooledTests = [
  'test/conformance',
  'test/http/{accounts,oidc,sessions,billing,organizations,second-factors,core}',
  'test/property',
].map((directory) => `${directory}/**/*.{db,both}.test.ts`)

/** Node reads the modules itself, as the daemon does in development: calls between modules that Vite has rewritten take a fifth more processor time. */
const native = { viteModuleRunner: false, nodeLoader: false }
/** Vite reads the modules of pages: components, and files as the build loads them. */
const byVite = { viteModuleRunner: true }

const inBrowser = { globalSetup: ['test/support/browser-setup.ts', 'test/support/template-setup.ts'] }

export default defineConfig({
  test: {
    pool: 'forks',
    experimental: native,
    // Files of a project share a process, so that the server's modules load once: nothing in src may keep state in a module.
    isolate: false,
    // One more than the cores of the smallest machine: a worker often waits, for PostgreSQL, a browser, a command or a timer. Each compiles for itself.
    maxWorkers: 3,
    sequence: { sequencer: MixedSequencer },
    // Requests and answers live shortly: with room for them the collector copies less. The cores are busy with other workers: threads that compile and
    // collect beside the one that runs the tests take a twelfth of the processor time.
    execArgv: [
      '--max-semi-space-size=32',
      '--single-threaded',
      `--import=${new URL('test/support/compile-cache.js', import.meta.url).href}`,
    ],
    setupFiles: 'test/support/property-seed.ts',
    // Generous, for a machine that is busy with other things too: a test that hangs is named all the same.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    reporters: ['default', absentReporter, ...(resultsFile === undefined ? [] : ['json', unhandledReporter(resultsFile)])],
    ...(resultsFile === undefined ? {} : { outputFile: { json: resultsFile } }),
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: [everywhere],
          exclude: [storeTests, browserTests, pageTests],
          env: { GATEHOUSE_TEST_DB: 'sqlite' },
          globalSetup: 'test/support/template-setup.ts',
        },
      },
      {
        extends: true,
        plugins: [textsByCatalogue()],
        test: { name: 'pages', include: [pageTests], experimental: byVite },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [bothDatabases, storeTests, ...(isFull ? [databaseTests] : mixedFiles)],
          env: { GATEHOUSE_TEST_DB: 'postgres' },
          globalSetup: 'test/support/postgres-setup.ts',
        },
      },
      {
        extends: true,
        test: {
          ...inBrowser,
          name: 'browser',
          include: [browserTests],
          exclude: galleries,
          execArgv: [`--import=${new URL('test/support/page-texts.ts', import.meta.url).href}`],
        },
      },
      // Until a page, its styles or its texts change, the galleries show what they showed.
      ...(isFull || !areLookedAt()
        ? [
            {
              extends: true as const,
              plugins: [textsByCatalogue()],
              test: { ...inBrowser, name: 'galleries', include: galleries, experimental: byVite },
            },
          ]
        : []),
      // Engines that the machine has besides: `npm run test:engines`.
      ...(process.env['GATEHOUSE_TEST_ENGINES'] === '1'
        ? [
            {
              extends: true as const,
              plugins: [textsByCatalogue()],
              test: {
                name: 'engines',
                include: ['test/engines/*.engine.ts'],
                experimental: byVite,
                globalSetup: 'test/support/template-setup.ts',
              },
            },
          ]
        : []),
      ...(isFull
        ? [
            {
              extends: true as const,
              test: {
                name: 'pooler',
                include: pooledTests,
                env: { GATEHOUSE_TEST_DB: 'postgres', GATEHOUSE_TEST_POOLER: 'transaction' },
                globalSetup: 'test/support/pooler-setup.ts',
              },
            },
          ]
        : []),
    ],
  },
})
