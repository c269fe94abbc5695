/** Reads the documentation pages: their fenced blocks with marks, and the commands that they name. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Languages whose blocks must say whether a test runs them. Blocks in other languages are never run. */
export const markedLanguages: readonly string[] = ['sh', 'console', 'yaml', 'ts', 'js', 'http']

/**
 * What a test does with a block, in the words after its language. `run` runs it, and `run exit=3` expects this exit code. `not-run:
 * <reason>` skips it. `output` is the output of the previous block.
 */
export type Mark =
  | { readonly kind: 'run'; readonly exitCode: number }
  | { readonly kind: 'not-run'; readonly reason: string }
  | { readonly kind: 'output' }

export interface Block {
  readonly language: string
  /** The text after the language, as written. */
  readonly info: string
  /** Undefined if the block has no mark, or an unknown one. */
  readonly mark: Mark | undefined
  /** The text of the block without the indentation of a list. */
  readonly text: string
  /** The line of the page with the opening fence, from 1. */
  readonly line: number
}

export interface Page {
  /** Path relative to the root of the checkout. */
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

/** Every page for operators and developers. Decision records are left out, because they describe the past. Generated pages are left out, too. */
export const readPages = (): readonly Page[] =>
  ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*/*.md', 'examples/*/README.md', 'bench/README.md']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .map((page) => ({ ...page, blocks: readBlocks(page.text) }))

/** True for the reference of commands. Another test runs its examples (`test/documentation/examples.db.test.ts`). */
export const isHelp = ({ path }: Page): boolean => path === 'docs/reference/cli.md'

/** Command lines of gatehouse in a page, in blocks of a shell and in code within a sentence. */
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
