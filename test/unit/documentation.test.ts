/** Rules for the documentation: each block says whether it is run, each command exists, and each question has an answer. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { listedCommands } from '../../src/cli/help.ts'
import { createProgram } from '../../src/cli/program.ts'
import { commandLines, isHelp, markedLanguages, readBlocks, readPages } from '../support/documentation.ts'

const pages = readPages()
const written = pages.filter((page) => !isHelp(page))

test('every fenced block names its language, and a block of shell, YAML, TypeScript or HTTP is marked run, or not-run with a reason', () => {
  const unmarked = written.flatMap(({ path, blocks }) =>
    blocks.flatMap(({ language, info, mark, line }) => {
      if (language === '') return [`${path}:${line} names no language`]
      const needsMark = markedLanguages.includes(language)
      const isRight = needsMark ? mark !== undefined && mark.kind !== 'output' : info === '' || mark?.kind === 'output'
      return isRight ? [] : [`${path}:${line} ${language} ${info}`]
    }),
  )
  expect(unmarked).toEqual([])
})

test('a block that is marked as output follows a block that is run', () => {
  for (const { path, blocks } of written)
    for (const [index, { mark, line }] of blocks.entries())
      if (mark?.kind === 'output') expect(blocks[index - 1]?.mark?.kind, `${path}:${line}`).toBe('run')
})

test('the marks of a block are read, and a mark without its reason is ignored', () => {
  const marks = ['sh run', 'sh run exit=3', 'sh not-run: it installs packages', 'sh not-run', 'sh', 'json output', 'sh runs']
  const read = readBlocks(marks.map((head) => `\`\`\`${head}\nx\n\`\`\``).join('\n')).map(({ mark }) => mark)
  const nothing = undefined
  expect(read).toEqual([
    { kind: 'run', exitCode: 0 },
    { kind: 'run', exitCode: 3 },
    { kind: 'not-run', reason: 'it installs packages' },
    ...[nothing, nothing],
    { kind: 'output' },
    nothing,
  ])
})

const program = createProgram()
const commands = new Map(listedCommands(program).map((command) => [command.name(), command]))
const globals = program.options.flatMap(({ short, long }) => [short, long])

/** The fault of a command line in a text: an unknown command, or an unknown option of it. */
const problemOf = (line: string): string | undefined => {
  const [name = '', ...words] = line.split(/\s+/)
  // A word after the command line, as in: `gatehouse serve` is …
  const command = commands.get(name.replace(/[.,:…]+$/, ''))
  if (command === undefined) return `there is no command ${name}`
  const own = command.options.flatMap(({ short, long }) => [short, long])
  const given = words.flatMap((word) => /^--?[a-z][\w-]*/.exec(word) ?? [])
  const wrong = given.find((flag) => ![...own, ...globals, '--help', '-h'].includes(flag))
  return wrong === undefined ? undefined : `${name} has no option ${wrong}`
}

test('every command line on a page has an existing command with existing options', () => {
  const wrong = pages.flatMap((page) =>
    commandLines(page).flatMap((line) => {
      const problem = problemOf(line)
      return problem === undefined ? [] : [`${page.path}: ${problem} (gatehouse ${line})`]
    }),
  )
  expect(wrong).toEqual([])
})

test('every command line in a text of the server or the console has an existing command with existing options', () => {
  const files = globSync(['src/**/*.ts', 'admin-ui/**/*.{ts,tsx}', 'config/*.yaml'], { exclude: ['admin-ui/dist/**'] })
  const wrong = files.flatMap((path) => {
    // In source code a command line begins a string, a sentence of a string, or a code span in it.
    const lines = [
      ...readFileSync(path, 'utf8').matchAll(
        /(?:['"`(]|: |; |\b(?:with|by|run|see|or) |\n)gatehouse ([a-z]+-[a-z-]+|apply|backup|restore|serve|migrate|doctor|explain|prune|reencrypt|init)((?: --?[a-z][a-z-]*(?:[ =][^-\s'"`]\S*)?)*)/g,
      ),
    ]
    return lines
      .flatMap(([, name = '', flags = '']) => problemOf(`${name}${flags}`) ?? [])
      .map((problem) => `${path}: ${problem}`)
  })
  expect(wrong).toEqual([])
})

test('README has at most 90 lines, and CONTRIBUTING at most 150', () => {
  const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n').length
  expect(lines('README.md')).toBeLessThanOrEqual(90)
  expect(lines('CONTRIBUTING.md')).toBeLessThanOrEqual(150)
})

test('the table of the README says what each folder of src contains', () => {
  const [, table = ''] = readFileSync('README.md', 'utf8').split('\n| folder | holds |')
  const named = [...table.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell = '']) => cell.match(/src\/[a-z-]+/g) ?? [])
  expect(named.toSorted()).toEqual(
    globSync('src/*/')
      .map((path) => path.replaceAll('\\', '/').replace(/\/$/, ''))
      .toSorted(),
  )
})

/** Questions that readers of the pages could not answer (issue 27), and the place of the answer. */
const answers: Readonly<Record<string, string>> = {
  'How do I get the command?': 'docs/how-to/operating.md#where-the-command-comes-from',
  'Which configuration do commands read?': 'docs/how-to/operating.md#which-configuration-commands-read',
  'How does it run as a service?': 'docs/how-to/operating.md#as-a-service',
  'Where does a person add a second factor?': 'docs/how-to/second-factors.md#where-people-add-one',
  'What is to be kept beside a backup?': 'docs/how-to/backup.md#what-to-keep-beside-it',
  'How does an API check a token of another client?': 'docs/how-to/applications.md#how-an-api-checks-a-token',
  'How does an application sign people out?': 'docs/how-to/applications.md#sign-people-out',
  'How is a private certificate authority trusted?': 'docs/how-to/operating.md#a-private-certificate-authority',
  'How does an installation take people by invitation only?': 'docs/how-to/users.md#by-invitation-only',
  'How is a checkout upgraded?': 'docs/how-to/operating.md#upgrade',
}

const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )

test('every question that readers could not answer has an answer under a heading of a page', () => {
  for (const [question, place] of Object.entries(answers)) {
    const [path = '', anchor] = place.split('#')
    expect(anchorsOf(readFileSync(path, 'utf8')), question).toContain(anchor)
  }
})

test('every link of a page leads to an existing file and heading', () => {
  const broken = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(#[^)\s]*)?\)/g)].flatMap(([, file = '', anchor = '']) => {
      const target = file === '' ? path : join(dirname(path), file)
      if (!existsSync(target)) return [`${path}: ${target}`]
      const isThere =
        anchor === '' || !target.endsWith('.md') || anchorsOf(readFileSync(target, 'utf8')).includes(anchor.slice(1))
      return isThere ? [] : [`${path}: ${target}${anchor}`]
    }),
  )
  expect(broken).toEqual([])
})

test('every page and record that code, a message or the configuration names exists, with its heading', () => {
  const files = globSync(
    ['{src,bin,test,migrations,examples}/**/*.ts', 'admin-ui/**/*.{ts,tsx,css,json}', 'config/*.yaml', 'gatehouse.yaml'],
    { exclude: ['admin-ui/dist/**', '**/node_modules/**'] },
  )
  const broken = files.flatMap((path) => {
    const text = readFileSync(path, 'utf8')
    const pages = [...text.matchAll(/(?<![\w/])docs\/[\w/-]+\.md(#[\w-]+)?/g)].filter(([named, anchor]) => {
      const [target = ''] = named.split('#')
      const isThere =
        existsSync(target) && (anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor.slice(1)))
      return !isThere
    })
    const records = [...text.matchAll(/\b(?:decision|record)s?\s(?:\*\s)?(0\d{3})\b/g)].filter(
      ([, number]) => globSync(`docs/design/decisions/${number}-*.md`).length === 0,
    )
    return [...pages, ...records].map(([named]) => `${path}: ${named}`)
  })
  expect(broken).toEqual([])
})

/** The sentence that every page with commands contains once, with its own relative link. */
const origin = (page: string) =>
  `The command \`gatehouse\` comes from a checkout or the container image, never from a registry: [how to get it](${page}#where-the-command-comes-from).`

test('every page with commands says once, in the same sentence, where to find the command', () => {
  for (const page of pages) {
    if (page.path === 'docs/how-to/operating.md' || page.path === 'bench/README.md') continue
    const hasCommands = page.blocks.some(
      ({ language, text }) => ['sh', 'console'].includes(language) && /\bgatehouse [a-z]/.test(text),
    )
    const target = page.path.startsWith('docs/')
      ? relative(dirname(page.path), 'docs/how-to/operating.md')
      : page.path === 'README.md' || page.path === 'SECURITY.md'
        ? 'docs/how-to/operating.md'
        : '../../docs/how-to/operating.md'
    const count = page.text.split(origin(target)).length - 1
    expect([page.path, count]).toEqual([page.path, hasCommands ? 1 : 0])
  }
})

test('no page lets npx download the command from a registry', () => {
  for (const { path, text } of pages)
    for (const line of text.split('\n'))
      if (/npx gatehouse/.test(line))
        expect([path, line]).toEqual(['docs/how-to/operating.md', expect.stringContaining('checkout')])
})

test('only package.json contains the name of the package, and the name has a scope', () => {
  const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string }
  expect(name).toMatch(/^@[a-z0-9-]+\/gatehouse$/)
  const files = globSync(
    ['README.md', 'docs/*/*.md', 'src/**/*.ts', 'bin/*', 'admin-ui/**/*.{ts,tsx}', 'Dockerfile', 'config/*'],
    {
      exclude: ['admin-ui/dist/**'],
    },
  )
  for (const path of files) expect(readFileSync(path, 'utf8').includes(name), path).toBe(false)
})
