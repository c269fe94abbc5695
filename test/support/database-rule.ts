/** Finds the tests of a file that `npm test` has to run on both databases (docs/design/tests.md). */
import { type ESTree, parseSync } from 'vite'

/** Marks of tests that can end differently on the other database: a second node, transactions that overlap, and functions of one database only. */
const marks = /\.node\(\)|\boverlap\(|\bdialect\b|\bhasSignals\b|\bopenDatabase\(/
/** The same, and simultaneous requests. */
const marksOrRaces = new RegExp(`${marks.source}|Promise\\.(all|allSettled|race)\\(`)
/** A comment in a test whose simultaneous requests the database cannot decide, with the reason. */
const excused = /\/\/ No race in the database: \w+ \w+/
/** Helpers for the plans of statements, and for two transactions in a known order. */
const markedImports = /support\/(overlap|plans)\.ts$/
const markedNames = /^(overlap|plan|statement)/
const testNames = new Set(['test', 'testOnBoth'])
const groupNames = new Set(['describe', 'describeOnBoth'])

interface Group {
  readonly name: string
  readonly parent: Group | undefined
}
export interface FoundTest {
  readonly name: string
  readonly title: string
  readonly group: Group | undefined
  /** True if the test has to run on both databases. */
  readonly isMarked: boolean
}

type Node = ESTree.Node & Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
const childrenOf = (node: Node): readonly Node[] => Object.values(node).flat().filter(isNode)

/** The function that defines a test: `test` for `test.each(rows)('title', …)`. */
const rootOf = (callee: Node): string | undefined => {
  if (callee.type === 'Identifier') return callee.name as string
  const inner = callee['callee'] ?? callee['object'] ?? callee['tag']
  return isNode(inner) ? rootOf(inner) : undefined
}

/** The tests of a file. A test is marked if one of the marks is in its text, or in a function of the file that it names. A reason excuses only simultaneous requests. */
export const testsOf = (path: string, source: string): readonly FoundTest[] => {
  const program = parseSync(path, source).program as unknown as Node
  const textOf = ({ start, end }: Node) => source.slice(start as number, end as number)
  const named = new Set<string>()
  for (const [, name = ''] of source.matchAll(/(\w+) = await (?:Promise\.all\(\[)?\w+(?:\.\w+)*\.node\(\)/g)) named.add(name)
  const functions: [name: string, text: string][] = []
  for (const statement of childrenOf(program)) {
    if (statement.type === 'ImportDeclaration' && markedImports.test((statement.source as { value: string }).value))
      for (const { local } of statement.specifiers as { local: { name: string } }[])
        if (markedNames.test(local.name)) named.add(local.name)
    if (statement.type === 'VariableDeclaration')
      for (const declared of childrenOf(statement)) {
        const [id, init] = [declared['id'], declared['init']]
        if (isNode(id) && id.type === 'Identifier' && isNode(init) && /=>|function/.test(textOf(init)))
          functions.push([id.name as string, textOf(init)])
      }
  }
  /** Returns a function that looks for marks in a text, and in the functions of the file that the text names. */
  const finds = (wanted: RegExp) => {
    const names = new Set(named)
    const isFound = (text: string) => wanted.test(text) || [...names].some((name) => new RegExp(`\\b${name}\\b`).test(text))
    for (let size = -1; size < names.size; ) {
      size = names.size
      for (const [name, text] of functions) if (isFound(text)) names.add(name)
    }
    return isFound
  }
  const [isMarked, isMarkedOrRace] = [finds(marks), finds(marksOrRaces)]

  const found: FoundTest[] = []
  const visit = (node: Node, group: Group | undefined): void => {
    const call = node.type === 'CallExpression' ? rootOf(node.callee as unknown as Node) : undefined
    // A number may follow, the time limit of the test.
    const last =
      call === undefined ? undefined : (node['arguments'] as readonly Node[]).findLast(({ type }) => type !== 'Literal')
    if (call !== undefined && last !== undefined && /Function/.test(last.type)) {
      if (testNames.has(call)) {
        const title = textOf((node['arguments'] as readonly Node[])[0] as Node)
        const condition = textOf(node.callee as unknown as Node)
        const body = textOf(last)
        const differs = isMarked(body) || (isMarkedOrRace(body) && !excused.test(body)) || /dialect|hasSignals/.test(condition)
        found.push({ name: call, title, group, isMarked: differs })
        return
      }
      if (groupNames.has(call)) {
        visit(last, { name: call, parent: group })
        return
      }
    }
    for (const child of childrenOf(node)) visit(child, group)
  }
  visit(program, undefined)
  return found
}

/** Paths of files that always run on both databases: some directories, and files whose names say that they are about databases. */
const aboutDatabases =
  /^test\/(property|http\/backup)\/|[/-](races|concurrency|plans|schema|migrate|queue|jobs|sweeps|prune|batch|batches|batched-reads|database|event-chain|event-readers|faults|pooler|restore|killed|grace|nodes|in-between)\./

/** The faults in the name of a file and in the marks of its tests, one sentence each. */
export const faultsOf = (path: string, source: string): readonly string[] => {
  const tests = testsOf(path, source)
  if (path.endsWith('.both.test.ts')) {
    const isFit = aboutDatabases.test(path) || tests.every((test) => test.isMarked)
    return [
      ...(isFit ? [] : [`${path} runs on both databases, but neither its name nor its tests say why`]),
      ...tests.filter((test) => test.name === 'testOnBoth').map(({ title }) => `${path}: ${title} is \`test\` in such a file`),
    ]
  }
  return tests.flatMap(({ name, title, group, isMarked }) => {
    if (isMarked && name === 'test') return [`${path}: ${title} has to be \`testOnBoth\``]
    if (name !== 'testOnBoth') return []
    for (let outer = group; outer !== undefined; outer = outer.parent)
      if (outer.name === 'describe') return [`${path}: ${title} has to stand in \`describeOnBoth\``]
    return []
  })
}
