/** The layer ("floor") of each folder in `src`, by the order in which `src/composition.ts` builds the features. This file only computes. */
import { posix } from 'node:path'
import type { ESTree } from 'vite'
import { parseSync, Visitor } from 'vite'

/** The folders below all features, lowest first. A folder that is neither here nor a feature belongs to the program above all features. */
const ground = ['src/core', 'src/access', 'src/http'] as const

/** The folders of `ground`, and then the folders of the features in the order in which `source` builds them. */
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

/** Commands get the whole program when they run, so they may name types of features that are built later. */
const isCommand = (path: string) => /\/cli(\.ts$|\/)/.test(path)

/** Imports that lead upwards, of values and of types. Only commands may import types of higher folders. `files` are the sources by path. */
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
