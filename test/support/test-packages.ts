/** Programs and packages that only `npm run test:full` uses. They are not dependencies, and are installed once if a registry can be reached. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { TestContext } from 'vitest'

const run = promisify(execFile)
const isFull = process.env['GATEHOUSE_TEST_FULL'] === '1'

/** The directory is kept between runs, because an installation takes a minute. */
export const packageCache = join(import.meta.dirname, '../../node_modules/.cache/gatehouse-test-packages')

/** Runs a program and returns its output. If the program fails, it throws an error with the end of the output. */
export const runTool = async (program: string, args: readonly string[], cwd = packageCache): Promise<string> => {
  // A generator calls the formatter that is installed in the same directory.
  const env = { ...process.env, PATH: [dirname(program), process.env['PATH']].join(delimiter) }
  try {
    const { stdout, stderr } = await run(program, args, { cwd, env, maxBuffer: 1 << 28, timeout: 400_000 })
    return stdout + stderr
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string }
    throw new Error(`${program} ${args.join(' ')}: ${stdout.slice(-4000)}\n${stderr.slice(-4000)}\n${message}`)
  }
}

/** Skips the test if a tool is missing, because the registry cannot be reached or the machine lacks the runtime. The message names the tool. */
export const requireTool = async <T>(context: TestContext, what: string, work: () => Promise<T>): Promise<T> => {
  if (!isFull) context.skip('runs in npm run test:full')
  try {
    return await work()
  } catch (error) {
    return context.skip(`${what} is not to be had here: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`)
  }
}

/** Installs npm packages and returns their directory. Two test processes that install the same packages at once get the same directory. */
export const installFromNpm = async (name: string, dependencies: Readonly<Record<string, string>>): Promise<string> => {
  const directory = join(packageCache, name)
  if (existsSync(directory)) return directory
  mkdirSync(packageCache, { recursive: true })
  const installing = mkdtempSync(`${directory}-`)
  try {
    writeFileSync(join(installing, 'package.json'), JSON.stringify({ private: true, dependencies }))
    await runTool('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], installing)
    if (!existsSync(directory)) renameSync(installing, directory)
  } catch (error) {
    if (!existsSync(directory)) throw error
  } finally {
    rmSync(installing, { recursive: true, force: true })
  }
  return directory
}
