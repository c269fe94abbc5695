/**
 * Finds the test files that a change reaches, in two ways. Imports are followed from the changed file up to the root of the composition,
 * which imports everything. The folders of `testFolders` have tests that call a feature through the whole server. They are taken for the
 * changed feature, and for features that import it.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Parts of the source, with the folders of tests that call them through a running instance. The longest matching prefix counts. */
export const testFolders: Readonly<Record<string, readonly string[]>> = {
  'src/access/': ['http/access', 'http/identity/impersonation', 'http/organizations/tenants', 'http/organizations/roles'],
  'src/api-keys/': ['http/api-keys', 'cli/api-keys'],
  'src/apply/': ['http/apply', 'cli/apply', 'cli/export-declaration'],
  'src/audit/': ['http/audit'],
  'src/authentication/attempts/': [
    'http/accounts/throttling',
    'http/authentication',
    'http/second-factors/ways',
    'http/sessions/authentication',
  ],
  'src/authentication/explanation/': ['http/sign-ins', 'cli/explain-sign-in'],
  'src/authentication/factor-administration/': ['http/second-factors/administration', 'cli/factors'],
  'src/authentication/failures/': ['http/sign-ins', 'cli/failed-sign-ins'],
  'src/authentication/impersonation/': ['http/identity/impersonation'],
  'src/authentication/methods/federated/': ['http/social'],
  'src/authentication/methods/mail-sign-in/': ['http/accounts/mail-sign-in'],
  'src/authentication/methods/password/': ['http/accounts', 'http/authentication', 'cli/set-password'],
  'src/authentication/remembered-browsers/': ['http/second-factors/remembered', 'http/accounts/new-device'],
  'src/authentication/sessions/': ['http/sessions', 'http/authentication'],
  'src/authentication/sign-in-method-notices/': ['http/second-factors/notices'],
  'src/authentication/verification/': ['http/accounts/verify', 'http/accounts/address'],
  'src/authentication/': ['http/second-factors', 'http/authentication'],
  'src/backup/': ['http/backup', 'cli/backup'],
  'src/billing/': ['http/billing', 'cli/billing', 'cli/simulate'],
  'src/brand/': ['http/brand', 'http/first-paint', 'browser/brand'],
  'src/claim-explanations/': ['cli/explain.', 'cli/remote-explain', 'http/identity/claims'],
  'src/cli/': ['cli'],
  'src/core/db/': ['http/core/database', 'http/core/statements', 'stores'],
  'src/core/events/': ['http/core/event', 'http/audit'],
  'src/core/': ['http/core'],
  'src/health/': ['http/health', 'cli/doctor'],
  'src/http/': ['http/core', 'http/composition'],
  'src/identity/': ['http/identity', 'http/accounts/profile', 'http/accounts/user', 'http/accounts/delete'],
  'src/identity/identities/': [
    'http/authentication',
    'http/accounts/change-password',
    'http/social/linked-accounts',
    'http/identity',
  ],
  'src/images/': ['http/images'],
  'src/limits/': ['http/core/limits', 'http/core/proof-of-work'],
  'src/mail/': ['http/mail'],
  'src/metrics/': ['http/metrics'],
  'src/oidc/': ['http/oidc', 'conformance/openid-client'],
  'src/organizations/': ['http/organizations'],
  'src/organizations/members/': ['http/organizations', 'http/billing/journey'],
  'src/retention/': ['http/retention'],
  'src/secrets/': ['http/secrets', 'cli/secret'],
  'src/settings/': ['http/settings'],
  'src/setup/': ['http/setup'],
  'src/statistics/': ['http/statistics'],
  'src/tasks/': ['http/tasks'],
  'migrations/': ['http/core/schema', 'cli/migrate', 'stores'],
  'admin-ui/console/applications/': ['browser/console/applications', 'browser/console/test-sign-in', 'browser/console'],
  'admin-ui/console/billing/': ['browser/console/billing', 'browser/console/replay', 'browser/console'],
  'admin-ui/console/organizations/': ['browser/console/organizations', 'browser/console'],
  'admin-ui/console/people/': ['browser/console/people', 'browser/console/invitations', 'browser/console'],
  'admin-ui/console/shared/': ['browser/console/roles', 'browser/console/bulk', 'browser/console/views', 'browser/console'],
  'admin-ui/console/shell/': ['browser/console/foundation', 'browser/console/roles', 'browser/console'],
  'admin-ui/console/system/': ['browser/console/system', 'browser/console'],
  'admin-ui/console/ways-in/': ['browser/console/ways-in', 'browser/console'],
  'admin-ui/console/': ['browser/console/roles', 'browser/console/foundation', 'browser/console'],
  'admin-ui/hosted/': ['browser/'],
  'admin-ui/': ['browser/', 'unit/pages'],
}

/** Files whose importers are not followed, because they would lead from every part to every test. */
const roots = new Set(['src/composition.ts', 'src/main.ts', 'bin/gatehouse.js'])

const relativeImport = /(?:import|from)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

/** The importers of each file, from the text of all files. */
const importersOf = (files: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> => {
  const importers = new Map<string, string[]>()
  for (const [path, source] of files)
    for (const [, target = ''] of source.matchAll(relativeImport)) {
      const imported = normalize(join(dirname(path), target))
      const known = importers.get(imported)
      if (known === undefined) importers.set(imported, [path])
      else known.push(path)
    }
  return importers
}

const readSources = (root: string): ReadonlyMap<string, string> =>
  new Map(
    globSync('{src,migrations,bin,test,admin-ui,bench,examples}/**/*.{ts,tsx}', {
      cwd: root,
      exclude: ['**/dist/**', '**/node_modules/**'],
    })
      .sort()
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )

export const isInBrowser = (path: string): boolean => path.startsWith('test/browser/')
export const isTest = (path: string): boolean => path.startsWith('test/') && path.endsWith('.test.ts')

/** The part of `testFolders` that a file belongs to. */
const partOf = (path: string): string | undefined =>
  Object.keys(testFolders)
    .filter((part) => path.startsWith(part))
    .sort((a, b) => b.length - a.length)[0]

/**
 * The test files that a change reaches, nearest first: changed tests, tests that import a changed file, tests of its feature, tests that
 * reach it through other files, and tests of features that import its feature.
 */
export const reachedTests = (changed: readonly string[], sources: ReadonlyMap<string, string>): readonly string[] => {
  const importers = importersOf(sources)
  const tests = [...sources.keys()].filter(isTest)
  const reached = new Set(changed.filter((path) => sources.has(path) && isTest(path)))
  const addParts = (parts: ReadonlySet<string | undefined>) => {
    for (const part of parts)
      for (const folder of part === undefined ? [] : (testFolders[part] ?? []))
        for (const test of tests) if (test.startsWith(`test/${folder}`)) reached.add(test)
  }
  const own = new Set(changed.map(partOf))
  const users = new Set<string | undefined>()
  const seen = new Set(changed)
  let front: readonly string[] = changed
  while (front.length > 0) {
    const next = new Set<string>()
    for (const path of front) {
      // A root would lead to every test, so it is followed only if it was changed itself.
      if (roots.has(path) && !changed.includes(path)) continue
      for (const importer of importers.get(path) ?? []) {
        if (own.has(partOf(path)) && !own.has(partOf(importer))) users.add(partOf(importer))
        if (!seen.has(importer)) next.add(importer)
      }
    }
    for (const path of next) seen.add(path)
    for (const path of [...next].filter(isTest).sort((a, b) => Number(isInBrowser(a)) - Number(isInBrowser(b)))) reached.add(path)
    if (front === changed) addParts(own)
    front = [...next]
  }
  addParts(users)
  return [...reached]
}

/** The paths whose total cost fits into the budget, in their order, and the paths that are left out. The first path is always included. */
export const fittingIn = (budget: number, paths: readonly string[], costOf: (path: string) => number) => {
  const run: string[] = []
  const left: string[] = []
  let spent = 0
  for (const path of paths) {
    const cost = costOf(path)
    const fits = run.length === 0 || spent + cost <= budget
    if (fits) spent += cost
    ;(fits ? run : left).push(path)
  }
  return { run, left }
}

/** The changed files that no file imports and that no folder of tests belongs to: configuration of the tests, documents, packages. */
export const withoutTests = (changed: readonly string[], sources: ReadonlyMap<string, string>): readonly string[] => {
  const importers = importersOf(sources)
  return changed.filter((path) => !isTest(path) && !importers.has(path) && partOf(path) === undefined)
}

/** Reads the sources. Returns the test files that a change reaches, and the changed files that lead to no test. */
export const readReached = (root: string, changed: readonly string[]) => {
  const sources = readSources(root)
  return { reached: reachedTests(changed, sources), untested: withoutTests(changed, sources) }
}
