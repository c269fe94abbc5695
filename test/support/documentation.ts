/** Reads the pages: their fenced blocks with the marks, and the commands that they name. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Languages whose blocks say whether they are run: the others are shown and not done. */
export const markedLanguages: readonly string[] = ['sh', 'console', 'yaml', 'ts', 'js', 'http']

/**
 * What becomes of a block, in the words behind its language: `run`; `run exit=3` where a command ends with that code; `not-run: <reason>`. `output`
 * marks what the block before it prints.
 */
export type Mark =
  | { readonly kind: 'run'; readonly exitCode: number }
  | { readonly kind: 'not-run'; readonly reason: string }
  | { readonly kind: 'output' }

export interface Block {
  readonly language: string
  /** What stands behind the language, as it is written. */
  readonly info: string
  /** Undefined where the block has none, or one that is not known. */
  readonly mark: Mark | undefined
  /** Without the indentation of a list. */
  readonly text: string
  /** Where it begins in the page, from 1. */
  readonly line: number
}

export interface Page {
  /** From the root of the checkout. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

const markOf = (info: string): Mark | undefined => {
  const [, exitCode = '0'] = /^run(?: exit=(\d))?$/.exec(info) ?? []
  if (info.startsWith('run') && info.replace(/ exit=\d$/, '') === 'run') return { kind: 'run', exitCode: Number(exitCode) }
  const [, reason] = /^not-run: (\S.*)$/.exec(info) ?? []
  if (reason !== undefined) return { kind: 'not-run', reason }
  return info === 'output' ? { kind: 'output' } : undefined
}

const fence = /^( *)```([^\n]*)\n([\s\S]*?)^\1```$/gm

export const readBlocks = (text: string): readonly Block[] =>
  [...text.matchAll(fence)].map(({ 1: indent = '', 2: head = '', 3: body = '', index }) => {
    const [language = '', info = ''] = [head.split(' ', 1)[0], head.slice(head.split(' ', 1)[0]?.length).trim()]
    const unindented = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    return { language, info, mark: markOf(info), text: unindented, line: text.slice(0, index).split('\n').length }
  })

/** Every page for operators and developers, but not the decision records, which tell what was once, and not those that are generated. */
export const readPages = (): readonly Page[] =>
  ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*/*.md', 'examples/*/README.md', 'bench/README.md']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .map((page) => ({ ...page, blocks: readBlocks(page.text) }))

/** The examples of help are run by themselves (`test/documentation/examples.db.test.ts`). */
export const isHelp = ({ path }: Page): boolean => path === 'docs/reference/cli.md'

/** Command lines of gatehouse in a text: those in blocks of a shell, and those in code within a sentence. */
export const commandLines = (page: Page): readonly string[] => {
  const shells = page.blocks.filter(({ language }) => ['sh', 'console', 'bash'].includes(language))
  const inBlocks = shells.flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
  const inSentences = [...page.text.replaceAll(fence, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) =>
    code.replaceAll(/\s+/g, ' '),
  )
  const isOfDatabase = /\b(alter|create) (role|database)\b/
  return [...inBlocks, ...inSentences]
    .filter((line) => !isOfDatabase.test(line))
    .flatMap((line) =>
      [...line.matchAll(/(?:^|[\s|(;&])gatehouse ((?!is |for |of )[a-z][\w-]*(?: [^|;&)#]*)?)/g)].map(([, command = '']) =>
        command.trim(),
      ),
    )
}
