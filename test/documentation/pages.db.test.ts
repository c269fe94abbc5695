/** Runs the documentation: blocks marked as run work on an instance as the page says, and print what the page shows. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { configSchema } from '../../src/composition.ts'
import { loadConfig } from '../../src/core/config.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { environmentOf } from '../support/binary.ts'
import { createDatabaseWithKeys } from '../support/database.ts'
import { type Block, type Page, readPages } from '../support/documentation.ts'
import { openShell, type Shell } from '../support/shell.ts'
import { type PageStage, stages } from './stages.ts'

const modules = join(import.meta.dirname, '../../node_modules')
const runOf = ({ blocks }: Page) => blocks.filter(({ mark }) => mark?.kind === 'run')
const pages = readPages().filter((page) => runOf(page).length > 0)

/** Programs besides gatehouse that the shell blocks of the pages call. */
const programs = ['bash', 'curl', 'envsubst', 'jq', 'openssl']
const missing = programs.filter((name) => spawnSync('which', [name]).status !== 0)

/** A pattern for a line of output that accepts other ids, times and widths. */
const patternOf = (line: string): RegExp => {
  const escaped = line.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const loose = escaped
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+\\\.\d{3}Z/g, '\\d{4}-\\S+Z')
    .replaceAll(/\b[A-Za-z0-9]{32}\b/g, '\\w{32}')
    .replaceAll(/\b\d+ seconds? ago/g, '(\\d+ seconds? ago|now|\\d{4}-\\S+Z)')
    .replaceAll(/\b[A-Za-z0-9]{4}…/g, '\\w{4}…')
    .replaceAll(/(?<!\w{4}\})…/g, '.*')
    .replaceAll(/\s+/g, '\\s+')
  return new RegExp(`^\\s*${loose}\\s*$`)
}

/** Expects each line of the page among the printed lines, in the same order. */
const expectLines = (said: string, expected: string, where: string) => {
  const lines = said.split('\n')
  let at = 0
  for (const line of expected.split('\n').filter((one) => one.trim() !== '')) {
    const pattern = patternOf(line)
    const found = lines.findIndex((one, index) => index >= at && pattern.test(one))
    if (found < 0) expect(said, `${where}: nothing fits ${pattern}`).toBe(expected)
    at = found + (line.trim() === '…' ? 0 : 1)
  }
}

/** The value with patterns for ids, times and parts that the page leaves out. */
const looseValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(looseValue)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, looseValue(inner)]))
  if (value === '…') return expect.anything()
  if (typeof value === 'string' && /^\w{32}$/.test(value)) return expect.stringMatching(/^\w{32}$/)
  if (typeof value === 'string' && /^20(2[6-9]|[3-9]\d)-\d\d-\d\dT/.test(value)) return expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  return value
}

const merge = (a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> => {
  const isTree = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  return Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => {
      const [left, right] = [a[key], b[key]]
      return [key, isTree(left) && isTree(right) ? merge(left, right) : (right ?? left)]
    }),
  )
}

/** Replaces absolute paths of a page by paths in the directory where its lines run. */
const localPaths = (text: string, directory: string) => text.replaceAll(/(?<![\w.])\/(var|etc|run)\//g, `${directory}/$1/`)

/** Writes files and configuration of the page into the directory of its shell. */
const furnish = async (page: Page, stage: PageStage, directory: string): Promise<string> => {
  const place = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
  for (const [path, content] of Object.entries((await stage.files?.()) ?? {})) place(path, content)
  let config = stage.config?.(directory) ?? {}
  for (const { language, text } of runOf(page)) {
    if (language !== 'yaml') continue
    const local = localPaths(text, directory)
    const path = stage.yamlFile?.(text)
    if (path !== undefined) place(path, local)
    else config = merge(config, parse(local) as Record<string, unknown>)
  }
  place('gatehouse.yaml', stringify(config))
  return join(directory, 'gatehouse.yaml')
}

class PageRun {
  readonly #page: Page
  readonly #shell: Shell
  readonly #t: TestApp
  readonly #meanings = new Map<string, string>()
  constructor(page: Page, shell: Shell, t: TestApp) {
    this.#page = page
    this.#shell = shell
    this.#t = t
  }

  means(written: string, value: string) {
    this.#meanings.set(written, value)
  }

  /** A text of the page with the values of this test. */
  #here(text: string): string {
    const local = localPaths(text, this.#shell.directory)
      .replaceAll(/https:\/\/(id|auth)\.example\.com/g, this.#t.url)
      .replaceAll('npx gatehouse', 'gatehouse')
    return [...this.#meanings].reduce((all, [written, value]) => all.replaceAll(written, value), local)
  }

  async shell(lines: string, exitCode = 0, where = this.#page.path): Promise<string> {
    const said = await this.#shell.run(this.#here(lines))
    expect([said.exitCode, said.exitCode === exitCode ? '' : said.stdout + said.stderr], `${where}\n${lines}`).toEqual([
      exitCode,
      '',
    ])
    return said.stdout
  }

  async #console(text: string, where: string) {
    for (const part of text.split(/^\$ /m).slice(1)) {
      const [command = '', ...expected] = part.split('\n')
      expectLines(await this.shell(command, 0, where), expected.join('\n'), where)
    }
  }

  #typescript(text: string, where: string) {
    const path = join(this.#shell.directory, `line-${where.split(':')[1]}.ts`)
    const linked = join(this.#shell.directory, 'node_modules')
    if (!readdirSync(this.#shell.directory).includes('node_modules')) symlinkSync(modules, linked)
    writeFileSync(path, this.#here(text))
    execFileSync(process.execPath, [path], { cwd: this.#shell.directory, stdio: 'pipe' })
  }

  /** Runs a block and returns its output. */
  async block({ language, text, mark, line }: Block): Promise<string> {
    const where = `${this.#page.path}:${line}`
    if (mark?.kind !== 'run') throw new Error(`${where} is not to be run`)
    if (language === 'sh') return this.shell(text, mark.exitCode, where)
    if (language === 'console') await this.#console(text, where)
    else if (language === 'ts') this.#typescript(text, where)
    else if (language !== 'yaml') throw new Error(`${where}: nothing runs ${language}`)
    return ''
  }
}

/** Remembers ids in the output that a later block names, such as that of a new secret. */
const learn = (page: PageRun, said: string, text: string) => {
  const [, hidden] = /--revoke (\w{32})/.exec(text) ?? []
  const ids = [...said.matchAll(/^\s+(\w{32}) /gm)].map(([, id = '']) => id)
  if (hidden !== undefined && ids[1] !== undefined) page.means(hidden, ids[1])
}

describe.skipIf(missing.length > 0)(`the pages of the documentation (needs ${programs.join(', ')})`, () => {
  test('printed output may differ from the documentation in ids, times and widths, and not in other words', () => {
    const fits = (line: string, said: string) => patternOf(line).test(said)
    expect(fits('  a  2026-11-22T10:49:09.893Z', 'a 2027-01-02T00:00:00.000Z  ')).toBe(true)
    expect(fits('SJuHRriMzwJe8ifYvC8E2N7HII2s7Q5n  bOs7…', '  yWAU3LXszkK9rW3OZftzNm5l2UkQukZ5  IFgz…')).toBe(true)
    expect(fits('secret: changed', 'secret: unchanged')).toBe(false)
  })

  for (const page of pages)
    test(`the commands of ${page.path} work and print what the page shows`, { timeout: 180_000 }, async () => {
      const stage = stages[page.path] ?? {}
      const needsInstance = runOf(page).some(({ language }) => language !== 'yaml')
      const database = await createDatabaseWithKeys()
      const env = environmentOf(database)
      const shell = await openShell({ ...env })
      const file = await furnish(page, stage, shell.directory)
      try {
        const secret = env['GATEHOUSE_SECRET'] ?? ''
        loadConfig(configSchema, { file, env: { GATEHOUSE_SECRET: secret } })
        if (!needsInstance) return
        const t = await testApp({ database, file })
        try {
          const run = new PageRun(page, shell, t)
          await run.shell(`export GATEHOUSE_CONFIG=${file} GATEHOUSE_URL=${t.url}`)
          const given = {
            t,
            means: (written: string, value: string) => run.means(written, value),
            shell: (lines: string) => run.shell(lines),
          }
          await stage.prepare?.(given)
          for (const [index, block] of page.blocks.entries()) {
            if (block.mark?.kind !== 'run') continue
            for (const [beginning, work] of Object.entries(stage.before ?? {}))
              if (block.text.startsWith(beginning)) await work(given)
            const said = await run.block(block)
            const output = page.blocks[index + 1]
            if (output?.mark?.kind === 'output') {
              const where = `${page.path}:${output.line}`
              if (output.language === 'json') expect(JSON.parse(said), where).toEqual(looseValue(JSON.parse(output.text)))
              else expectLines(said, output.text, where)
            }
            const next = page.blocks.slice(index + 1).find(({ mark }) => mark?.kind === 'run')
            learn(run, said, next?.text ?? '')
          }
        } finally {
          await t.stop()
        }
      } finally {
        await shell.stop()
      }
    })
})
