/** Checks that each table has one owner. Its columns are declared once, and other features read views that the owner exports in a `table.ts`. */

import { posix } from 'node:path'
import type { ESTree } from 'vite'
import { parseSync, Visitor } from 'vite'
import type { Violation } from './architecture.ts'
import { featureOf } from './architecture-imports.ts'

interface Declaration {
  readonly path: string
  readonly line: number
  readonly table: string
}

interface Found {
  readonly declarations: readonly Declaration[]
  readonly violations: readonly Violation[]
}

const lineAt = (source: string, start: number) => source.slice(0, start).split('\n').length

/** Names that a file imports from the `table.ts` of another feature. */
const foreignViews = (path: string, program: ESTree.Program): ReadonlySet<string> => {
  const names = new Set<string>()
  new Visitor({
    ImportDeclaration: (node) => {
      const target = posix.join(posix.dirname(path), node.source.value)
      if (!target.endsWith('/table.ts') || featureOf(target) === featureOf(path)) return
      for (const { local } of node.specifiers) names.add(local.name)
    },
  }).visit(program)
  return names
}

/** The tables that a file declares with `table` or `view`, and each use of another feature's view that is more than reading. */
const tablesOf = (path: string, source: string): Found => {
  const declarations: Declaration[] = []
  const violations: Violation[] = []
  const { program } = parseSync(path, source)
  const foreign = foreignViews(path, program)
  const isForeign = (node: ESTree.Node | undefined) => node?.type === 'Identifier' && foreign.has(node.name)
  new Visitor({
    CallExpression: ({ callee, arguments: [first], start }) => {
      const line = lineAt(source, start)
      const refuse = (message: string) => violations.push({ path, line, rule: 'table', message })
      const isDeclaring = callee.type === 'Identifier' && /^(table|view)$/.test(callee.name)
      if (isDeclaring && first?.type === 'Literal') declarations.push({ path, line, table: String(first.value) })
      if (isDeclaring && isForeign(first)) refuse('only the owner of a table changes it')
      const isPicking =
        callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === 'pick'
      if (isPicking && isForeign(callee.object)) refuse('the owner of a table exports the view that you read')
    },
  }).visit(program)
  return { declarations, violations }
}

/**
 * Reports every table that is declared a second time, and every view of another feature that is used for more than reading. `files` are
 * the files of the program.
 */
export const checkTables = (files: ReadonlyMap<string, string>): readonly Violation[] => {
  const found = [...files].filter(([path]) => path.startsWith('src/')).map(([path, source]) => tablesOf(path, source))
  const byTable = Map.groupBy(
    found.flatMap(({ declarations }) => declarations),
    ({ table }) => table,
  )
  const again = [...byTable].flatMap(([table, [first, ...others]]) =>
    others.map(({ path, line }): Violation => {
      const message = `the table ${table} has an owner already: ${first?.path}:${first?.line}; take a view of it (\`pick\`)`
      return { path, line, rule: 'table', message }
    }),
  )
  return [...found.flatMap(({ violations }) => violations), ...again]
}
