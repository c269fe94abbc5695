/**
 * Checks source text against the architecture: which files may import which, and which single files may use time, chance, environment and
 * SQL.
 */

import type { ESTree } from 'vite'
import { parseSync, Visitor } from 'vite'
import type { Import } from './architecture-imports.ts'
import { refuseImport, refusePlace } from './architecture-imports.ts'

/** Names of the rules. The test provokes a violation of each. */
export const ruleNames = [
  'syntax',
  'place',
  'length',
  'function length',
  'import',
  'environment',
  'time',
  'randomness',
  'outbound',
  'sql',
  'session start',
  'response',
  'console',
  'default export',
  'barrel',
  'module state',
  'any',
  'non-null',
  'cast',
  'table',
  'migration',
] as const
export type RuleName = (typeof ruleNames)[number]

export interface Violation {
  readonly path: string
  readonly line: number
  readonly rule: RuleName
  readonly message: string
}

const maximumLines = 400
const maximumFunctionLines = 150

const namesOf = (pattern: ESTree.BindingPattern | ESTree.ParamPattern | ESTree.BindingRestElement): readonly string[] => {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name]
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => namesOf(property.type === 'Property' ? property.value : property))
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : namesOf(element)))
    case 'AssignmentPattern':
      return namesOf(pattern.left)
    case 'RestElement':
      return namesOf(pattern.argument)
    default:
      return []
  }
}

/** Names that the file itself declares. A parameter may be called `fetch`, for example, which is then not the global function. */
const declaredNames = (program: ESTree.Program): ReadonlySet<string> => {
  const names = new Set<string>()
  const add = (patterns: readonly Parameters<typeof namesOf>[0][]) => {
    for (const name of patterns.flatMap(namesOf)) names.add(name)
  }
  new Visitor({
    VariableDeclarator: (node) => add([node.id]),
    ArrowFunctionExpression: (node) => add(node.params),
    FunctionDeclaration: (node) => add(node.params),
    FunctionExpression: (node) => add(node.params),
    ImportDeclaration: (node) => {
      for (const { local } of node.specifiers) names.add(local.name)
    },
  }).visit(program)
  return names
}

const sqlText = /^\s*(select\s.+\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|(create|alter|drop)\s+table\s)/is
/** True for a SQL statement. Its first word is in one case, unlike in the sentence "Select a file from the list". */
const looksLikeSql = (text: string) => sqlText.test(text) && /^\s*([a-z]+|[A-Z]+)\s/.test(text)

const mayHoldSql = (path: string) => /^(src\/core|migrations)\/|\/store(\.ts$|\/)/.test(path)

/**
 * Files that may write responses. These include the parts of the OpenID Provider between its library and the server (`Mount`). passport
 * gets a response object that is never sent.
 */
const mayWriteResponses = (path: string) =>
  /^src\/(http|oidc\/(engine|routes))\/|^src\/authentication\/methods\/federated\/providers\/github\.ts$/.test(path)
const responseCalls = /^(writeHead|setHeaders?|appendHeader|removeHeader|flushHeaders)$/

/** All violations in one file. `path` is relative to the root, and its separators are slashes. */
export const checkFile = (path: string, source: string, packages: ReadonlySet<string>): readonly Violation[] => {
  const violations: Violation[] = []
  const report = (rule: RuleName, message: string, start = 0) => {
    violations.push({ path, line: source.slice(0, start).split('\n').length, rule, message })
  }

  const misplaced = refusePlace(path)
  if (misplaced) report('place', misplaced)
  const lines = source.trimEnd().split('\n').length
  // The list of parameters is generated from the texts, so splitting it would not help readers.
  if (lines > maximumLines && path !== 'admin-ui/locales/parameters.ts')
    report('length', `${lines} lines; at most ${maximumLines}, split by use case`)

  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) {
    report('syntax', errors[0]?.message ?? 'does not parse')
    return violations
  }

  const declared = declaredNames(program)
  const isGlobal = (node: ESTree.Node, name: string) => node.type === 'Identifier' && node.name === name && !declared.has(name)
  const inServer = path.startsWith('src/')
  const isConfigFile = /(^|\/)[a-z]+\.config\.ts$/.test(path)

  const checkLength = ({ start, end }: ESTree.Node) => {
    const lines = source.slice(start, end).split('\n').length
    if (inServer && lines > maximumFunctionLines)
      report('function length', `${lines} lines; at most ${maximumFunctionLines}, split by use case`, start)
  }

  const imports = (from: string, typeOnly: boolean, start: number, names?: readonly string[]) => {
    const asked: Import = { from, typeOnly, ...(names && { names }) }
    const refused = refuseImport(path, asked, packages)
    if (refused) report('import', `'${from}': ${refused}`, start)
  }

  const checkCall = (callee: ESTree.Node, parameters: number, start: number) => {
    if (isGlobal(callee, 'Date') && parameters === 0 && path !== 'src/core/clock.ts') {
      report('time', 'ask the clock; only src/core/clock.ts reads the time', start)
    }
    // A person who runs commands for another instance names its address. That address is on no list of allowed addresses, and often in a
    // private network.
    const isOutbound = path !== 'src/core/fetch.ts' && path !== 'src/cli/remote/connection.ts'
    if (isGlobal(callee, 'fetch') && isOutbound) report('outbound', 'only src/core/fetch.ts calls fetch', start)
    if (callee.type === 'MemberExpression' && !mayHoldSql(path)) {
      const { property } = callee
      if (property.type === 'Identifier' && property.name === 'raw') {
        report('sql', 'SQL lives in store.ts, src/core and migrations', start)
      }
    }
    if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && !mayWriteResponses(path)) {
      if (responseCalls.test(callee.property.name)) report('response', 'return data; src/http writes the response', start)
    }
  }

  new Visitor({
    ArrowFunctionExpression: checkLength,
    FunctionDeclaration: checkLength,
    FunctionExpression: checkLength,
    ImportDeclaration: (node) => {
      const names = node.specifiers.flatMap((one) => {
        if (one.type !== 'ImportSpecifier') return ['*']
        return one.importKind === 'type' || one.imported.type !== 'Identifier' ? [] : [one.imported.name]
      })
      imports(node.source.value, node.importKind === 'type', node.start, names)
      if (!inServer) return
      for (const specifier of node.specifiers) {
        const name =
          specifier.type === 'ImportSpecifier' && specifier.imported.type === 'Identifier' ? specifier.imported.name : '*'
        if (node.source.value === 'node:process' && path !== 'src/core/config.ts' && ['env', '*', 'default'].includes(name)) {
          report('environment', 'only src/core/config.ts reads the environment', node.start)
        }
        if (['ServerResponse', 'OutgoingMessage', 'HttpResponse'].includes(name) && !mayWriteResponses(path)) {
          report('response', 'return data; src/http writes the response', node.start)
        }
        if (name === 'SessionStarter' && !/^src\/authentication\/(sessions|attempts)\//.test(path)) {
          report('session start', 'only src/authentication/attempts starts sessions', node.start)
        }
        if (node.source.value === 'node:crypto' && /^(random|webcrypto|\*|default)/.test(name) && path !== 'src/core/random.ts') {
          report('randomness', 'only src/core/random.ts makes randomness; import the other functions by name', node.start)
        }
      }
    },
    ExportNamedDeclaration: (node) => {
      if (node.source) imports(node.source.value, node.exportKind === 'type', node.start)
      for (const { exported } of node.specifiers) {
        if (exported.type === 'Identifier' && exported.name === 'default' && !isConfigFile)
          report('default export', 'export by name', node.start)
      }
    },
    ExportAllDeclaration: (node) => {
      imports(node.source.value, node.exportKind === 'type', node.start)
      report('barrel', 'export by name what is meant', node.start)
    },
    ExportDefaultDeclaration: (node) => {
      if (!isConfigFile) report('default export', 'export by name', node.start)
    },
    ImportExpression: (node) => {
      if (node.source.type === 'Literal' && typeof node.source.value === 'string') imports(node.source.value, false, node.start)
    },
    TSImportType: (node) => imports(node.source.value, true, node.start),
    TSAnyKeyword: (node) => report('any', "say what it is, or 'unknown'", node.start),
    TSAsExpression: ({ expression, typeAnnotation, start }) => {
      const isBlind = expression.type === 'TSAsExpression' && expression.typeAnnotation.type === 'TSUnknownKeyword'
      if (inServer && (isBlind || typeAnnotation.type === 'TSNeverKeyword'))
        report('cast', 'parse it (src/core/stored-json.ts, zod), or say what it is, so that the compiler can object', start)
    },
    TSNonNullExpression: (node) => report('non-null', 'handle the missing value', node.start),
    NewExpression: (node) => {
      if (inServer) checkCall(node.callee, node.arguments.length, node.start)
    },
    CallExpression: (node) => {
      if (inServer) checkCall(node.callee, node.arguments.length, node.start)
    },
    MemberExpression: (node) => {
      if (!inServer) return
      const { name } = node.property.type === 'Identifier' ? node.property : { name: '' }
      if (isGlobal(node.object, 'console')) report('console', 'use the log', node.start)
      if (isGlobal(node.object, 'process') && name === 'env' && path !== 'src/core/config.ts') {
        report('environment', 'only src/core/config.ts reads the environment', node.start)
      }
      if (isGlobal(node.object, 'Date') && name === 'now' && path !== 'src/core/clock.ts') {
        report('time', 'ask the clock; only src/core/clock.ts reads the time', node.start)
      }
      if (
        ((isGlobal(node.object, 'Math') && name === 'random') || isGlobal(node.object, 'crypto')) &&
        path !== 'src/core/random.ts'
      ) {
        report('randomness', 'ask random; only src/core/random.ts makes randomness', node.start)
      }
    },
    Literal: (node) => {
      if (inServer && !mayHoldSql(path) && typeof node.value === 'string' && looksLikeSql(node.value)) {
        report('sql', 'SQL lives in store.ts, src/core and migrations', node.start)
      }
    },
    TemplateLiteral: (node) => {
      if (inServer && !mayHoldSql(path) && looksLikeSql(node.quasis.map((quasi) => quasi.value.raw).join('x'))) {
        report('sql', 'SQL lives in store.ts, src/core and migrations', node.start)
      }
    },
  }).visit(program)

  for (const statement of inServer ? program.body : []) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (node?.type !== 'VariableDeclaration') continue
    const changes = node.declarations.some(
      ({ init }) =>
        init?.type === 'NewExpression' &&
        init.callee.type === 'Identifier' &&
        /^(Map|Set)$/.test(init.callee.name) &&
        init.arguments.length === 0,
    )
    if (node.kind !== 'const' || changes) report('module state', 'modules keep no state; let a factory own it', node.start)
  }
  return violations
}

/** Checks that every migration is listed in the order of its number and can be undone. */
export const checkMigrations = (files: ReadonlyMap<string, string>): readonly Violation[] => {
  const list = 'migrations/index.ts'
  const { module } = parseSync(list, files.get(list) ?? '')
  const listed = module.staticImports.map(({ moduleRequest, start }) => ({
    path: moduleRequest.value.replace(/^\.\//, 'migrations/'),
    start,
  }))
  const numbered = listed.filter(({ path }) => /^migrations\/\d/.test(path)).map(({ path }) => path)
  const violation = (path: string, message: string): Violation => ({ path, line: 1, rule: 'migration', message })

  const found = [...files.keys()].filter((path) => path.startsWith('migrations/') && path !== list)
  const problems = found.flatMap((path) => {
    if (!/^migrations\/\d{12}_[a-z0-9_]+\.ts$/.test(path)) return [violation(path, 'is named YYYYMMDDhhmm_what_it_does.ts')]
    const exported = new Set(
      parseSync(path, files.get(path) ?? '').module.staticExports.flatMap(({ entries }) =>
        entries.map((entry) => entry.exportName.name),
      ),
    )
    return [
      ...(numbered.includes(path) ? [] : [violation(path, `is not listed in ${list}`)]),
      ...(exported.has('up') && exported.has('down') ? [] : [violation(path, "exports 'up' and 'down'")]),
    ]
  })
  const inOrder = numbered.every((path, index) => index === 0 || path > (numbered[index - 1] ?? ''))
  return inOrder ? problems : [...problems, violation(list, 'lists the migrations in the order of their numbers')]
}

export const format = ({ path, line, rule, message }: Violation): string => `${path}:${line} [${rule}] ${message}`
