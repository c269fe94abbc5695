/**
 * What the reports of the test runner say (JSON of vitest).
 *
 *   node results.mjs failed FIRST          paths of the files that failed, a line each; none where more failed than are run again
 *   node results.mjs count FIRST [SECOND]  "N passed, N failed, N skipped"; 1 where a test failed or none ran
 *
 * Files of the second report take the place of those in the first.
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** More than these are no rare races. */
const mostFiles = 10

const read = (path) => {
  const text = path === undefined ? '' : readFileSync(path, 'utf8')
  return text === '' ? undefined : JSON.parse(text).testResults
}

const isFailed = ({ status }) => status === 'failed'
const failuresOf = ({ assertionResults }) => assertionResults.filter(isFailed)

const [command, firstPath, secondPath] = process.argv.slice(2)
const first = read(firstPath)
const second = read(secondPath) ?? []
if (first === undefined) {
  process.stderr.write('The tests ended without results.\n')
  process.exit(1)
}
const failed = new Set(first.filter(isFailed).map(({ name }) => name))

if (command === 'failed') {
  if (failed.size <= mostFiles) for (const name of failed) process.stdout.write(`${relative(process.cwd(), name)}\n`)
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
          `passed at the second try: ${relative(process.cwd(), file.name)} > ${fullName} (${failureMessages[0]?.split('\n')[0]})\n`,
        )

  const count = (...wanted) =>
    results.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => wanted.includes(status)).length
  // A file that fails before its first test has no test to count: it counts as one failure.
  const broken = results.filter((file) => isFailed(file) && failuresOf(file).length === 0).length
  const passed = count('passed')
  const failedTests = count('failed') + broken
  process.stdout.write(`\n${passed} passed, ${failedTests} failed, ${count('pending', 'skipped', 'todo', 'disabled')} skipped\n`)
  if (failedTests > 0 || passed === 0) process.exit(1)
}
