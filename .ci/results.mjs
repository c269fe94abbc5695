/**
 * What the reports of the test runner say (JSON of vitest).
 *
 *   node results.mjs failed FIRST          paths of the files that failed, a line each; none where more failed than are run again,
 *                                          or where an error belongs to no test
 *   node results.mjs count FIRST [SECOND]  "N passed, N failed, N skipped"; 1 where a test failed or none ran
 *
 * Files of the second report take the place of those in the first; what failed and did not run again has failed. Beside each report is a file
 * with the number of errors that belong to no test, such as that of a process that ended: they count as failures.
 */
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** More than these are no rare races. */
const mostFiles = 10

const read = (path) => {
  const text = path === undefined ? '' : readFileSync(path, 'utf8')
  return text === '' ? undefined : JSON.parse(text).testResults
}

/** A report without its number is of a run that did not end. */
const unhandledOf = (path) => {
  if (read(path) === undefined) return 0
  return existsSync(`${path}.unhandled`) ? Number(readFileSync(`${path}.unhandled`, 'utf8')) : 1
}

const isFailed = ({ status }) => status === 'failed'
const hasRun = ({ status }) => status === 'failed' || status === 'passed'
const failuresOf = ({ assertionResults }) => assertionResults.filter(isFailed)
/** Failed before its first test, or after its last. */
const isBroken = (file) => isFailed(file) && failuresOf(file).length === 0

const [command, firstPath, secondPath] = process.argv.slice(2)
const first = read(firstPath)
const second = read(secondPath) ?? []
if (first === undefined) {
  process.stderr.write('The tests ended without results.\n')
  process.exit(1)
}
const failed = new Set(first.filter(isFailed).map(({ name }) => name))

if (command === 'failed') {
  if (failed.size <= mostFiles && unhandledOf(firstPath) === 0)
    for (const name of failed) process.stdout.write(`${relative(process.cwd(), name)}\n`)
} else {
  const again = new Set(second.map(({ name }) => name))
  const results = [...first.filter(({ name }) => !again.has(name)), ...second]
  const namesOf = (isWanted) =>
    new Set(
      second.flatMap(({ name, assertionResults }) => assertionResults.filter(isWanted).map(({ fullName }) => name + fullName)),
    )
  // A test of one name runs on each database.
  const [passedThen, failedThen] = [namesOf(({ status }) => status === 'passed'), namesOf(isFailed)]
  for (const file of first.filter(({ name }) => again.has(name)))
    for (const { fullName, failureMessages } of failuresOf(file))
      if (passedThen.has(file.name + fullName) && !failedThen.has(file.name + fullName))
        process.stdout.write(
          `a fault to find, passed only at the second try: ${relative(process.cwd(), file.name)} > ${fullName} (${failureMessages[0]?.split('\n')[0]})\n`,
        )

  // What failed has to run again as often: neither skipped, nor left out, nor on one database alone.
  const lacking = [...failed]
    .filter((name) => again.has(name) && !second.some((file) => file.name === name && isBroken(file)))
    .flatMap((name) => {
      const [then, now] = [first, second].map((files) => files.filter((file) => file.name === name))
      const modules = (files) => files.filter((file) => isFailed(file) || file.assertionResults.some(hasRun)).length
      const runs = (files, wanted) =>
        files.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.fullName === wanted && hasRun(test))
          .length
      const titles = [...new Set(then.flatMap(failuresOf).map(({ fullName }) => fullName))]
      const tests = titles.filter((fullName) => runs(now, fullName) < runs(then, fullName))
      if (tests.length > 0) return tests.map((fullName) => `${relative(process.cwd(), name)} > ${fullName}`)
      return modules(now) < modules(then) ? [relative(process.cwd(), name)] : []
    })
  for (const what of lacking) process.stdout.write(`not run at the second try: ${what}\n`)

  const count = (...wanted) =>
    results.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => wanted.includes(status)).length
  // A file that fails before its first test has no test to count: it counts as one failure.
  const broken = results.filter(isBroken).length
  const passed = count('passed')
  const unhandled = unhandledOf(firstPath) + unhandledOf(secondPath)
  const failedTests = count('failed') + broken + lacking.length + unhandled
  process.stdout.write(`\n${passed} passed, ${failedTests} failed, ${count('pending', 'skipped', 'todo', 'disabled')} skipped\n`)
  if (failedTests > 0 || passed === 0) process.exit(1)
}
