/** On which floor each folder of `src` stands, by the order in which `src/composition.ts` builds the features. Pure. */
import { posix } from 'node:path'
import type { ESTree } from 'vite'
import { parseSync, Visitor } from 'vite'

/** The ground, lowest first: what no feature is part of. What is in none of these folders and no feature is the program above all of them. */
const ground = ['src/core', 'src/access', 'src/http'] as const

/** The folders of the ground, then those of the features as the list of `source` builds them. */
export const floorsOf = (source: string): readonly string[] => {
  const { program } = parseSync('src/composition.ts', source)
  const folders = new Map<string, string>()
  let listed: readonly string[] = []
  new Visitor({
    ImportDeclaration: (node) => {
      for (const { local } of node.specifiers) folders.set(local.name, posix.join('src', posix.dirname(node.source.value)))
    },
    CallExpression: ({ callee, arguments: [list] }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'composeFeatures' || list?.type !== 'ArrayExpression') return
      listed = list.elements.flatMap((element) => (element?.type === 'Identifier' ? [element.name] : []))
    },
  }).visit(program)
  return [...ground, ...listed.map((name) => folders.get(name) ?? name)]
}

const isTypeOnly = (
  kind: string | undefined,
  specifiers: readonly (ESTree.ImportDeclarationSpecifier | ESTree.ExportSpecifier)[],
) =>
  kind === 'type' ||
  (specifiers.length > 0 &&
    specifiers.every(
      (one) =>
        (one.type === 'ImportSpecifier' && one.importKind === 'type') ||
        (one.type === 'ExportSpecifier' && one.exportKind === 'type'),
    ))

export interface Imported {
  readonly target: string
  readonly typeOnly: boolean
}

export const importsOf = (path: string, source: string): readonly Imported[] => {
  const found: Imported[] = []
  const add = (from: string, typeOnly: boolean) => {
    if (from.startsWith('.')) found.push({ target: posix.join(posix.dirname(path), from), typeOnly })
  }
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, isTypeOnly(node.importKind, node.specifiers)),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source.value, isTypeOnly(node.exportKind, node.specifiers))
    },
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type'),
    ImportExpression: (node) => {
      if (node.source.type === 'Literal' && typeof node.source.value === 'string') add(node.source.value, false)
    },
    TSImportType: (node) => add(node.source.value, true),
  }).visit(parseSync(path, source).program)
  return found
}

/** Commands get the whole program when they run: they name the types of features that are built later. */
const isCommand = (path: string) => /\/cli(\.ts$|\/)/.test(path)

/**
 * Imports that lead upwards: of values always, of types where the other folder imports from this one as well, which makes a circle.
 * `files` are the sources by path.
 */
export const checkFloors = (files: ReadonlyMap<string, string>, floors: readonly string[]): readonly string[] => {
  const floorOf = (path: string) => {
    const own = floors.filter((folder) => path.startsWith(`${folder}/`)).toSorted((one, other) => other.length - one.length)[0]
    return own === undefined ? undefined : { folder: own, height: floors.indexOf(own) }
  }
  const found: string[] = []
  for (const [path, source] of files) {
    const here = floorOf(path)
    if (here === undefined) continue
    for (const { target, typeOnly } of importsOf(path, source)) {
      const there = floorOf(target)
      if (there === undefined || there.height <= here.height) continue
      if (!typeOnly) found.push(`${path} imports ${target}: ${there.folder} stands above ${here.folder}`)
      else if (!isCommand(path)) found.push(`${path} names a type of ${target}: ${there.folder} stands above ${here.folder}`)
    }
  }
  return found
}
