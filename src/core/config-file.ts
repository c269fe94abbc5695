import { resolve } from 'node:path'
import { isScalar, parseDocument, stringify, visit } from 'yaml'
import { anyName, type ConfigKey, fromText } from './config-keys.ts'
import { takeValue } from './environment.ts'
import { readTextFile } from './input-text.ts'
import { fileProblem } from './system-failure.ts'

/** A configuration as a file or declaration contains it, before it is checked. */
export type Tree = Record<string, unknown>

/** Sets the value at a path in a tree. Creates missing sections on the path. */
export const setPath = (tree: Tree, path: readonly string[], value: unknown) => {
  const [head, ...rest] = path
  if (head === undefined) return
  if (rest.length === 0) tree[head] = value
  else {
    const child = tree[head]
    const next: Tree = typeof child === 'object' && child !== null ? (child as Tree) : {}
    tree[head] = next
    setPath(next, rest, value)
  }
}

/** The value at a path, or undefined. */
export const getPath = (tree: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (node, name) => (typeof node === 'object' && node !== null ? (node as Record<PropertyKey, unknown>)[name] : undefined),
    tree,
  )

/** Writes a configuration as YAML. */
export const formatTree = (tree: Tree): string => stringify(tree)

/** Reads a text file. Messages call the file `name`. If the file cannot be read, adds a message to `problems` and returns undefined. */
const readNamed = (name: string, file: string, problems: string[]): string | undefined => {
  try {
    return readTextFile(file)
  } catch (error) {
    problems.push(`${name}: ${fileProblem(error, file)}`)
    return undefined
  }
}

/** Reads the secret from the file that the setting `name` refers to. If that fails, adds a message to `problems` and returns undefined. */
export const readSecretFile = (name: string, file: string, problems: string[]): string | undefined => {
  const text = readNamed(name, file, problems)
  if (text === undefined) return undefined
  const taken = takeValue(text)
  if ('value' in taken && taken.value !== '') return taken.value
  problems.push(`${name}: ${file} ${'problem' in taken ? taken.problem : 'is empty'}`)
  return undefined
}

/** Reads the keys and values of a YAML file. Adds the errors in the file to `problems`. */
export const readYaml = (file: string, problems: string[]): Tree => {
  const text = readNamed('config', resolve(file), problems)
  return text === undefined ? {} : parseTree(text, file, problems)
}

/** Largest depth of a YAML file. Recursive functions can handle this depth, and configurations and declarations need less. */
const mostLevels = 100

/**
 * Throws for a tree that is too deep, or infinite because an alias refers to a mapping or list around it. `above` contains the mappings
 * and lists around the node.
 */
const requireFinite = (node: unknown, level: number, above: Set<unknown>): void => {
  if (typeof node !== 'object' || node === null) return
  if (above.has(node)) throw new Error('an alias leads to the mapping or list that it stands in')
  if (level > mostLevels) throw new Error(`nested deeper than ${mostLevels} levels`)
  above.add(node)
  for (const child of Object.values(node)) requireFinite(child, level + 1, above)
  above.delete(node)
}

/** Parses YAML. Throws an error that names line and column. */
const parseYaml = (text: string): unknown => {
  // With `uniqueKeys`, the library compares each key of a mapping with all earlier keys. For ten thousand keys that takes seconds.
  const document = parseDocument(text, { uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) throw error
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(String(key.value))) throw new Error(`the key ${key.value} stands twice in one mapping`)
        seen.add(String(key.value))
      }
    },
  })
  const tree: unknown = document.toJS()
  requireFinite(tree, 0, new Set())
  return tree
}

/** Reads the keys and values of a YAML text. Messages call the text `name`. Adds the errors in the text to `problems`. */
export const parseTree = (text: string, name: string, problems: string[]): Tree => {
  try {
    const tree: unknown = parseYaml(text) ?? {}
    if (typeof tree === 'object' && !Array.isArray(tree)) return tree as Tree
    problems.push(`config: ${name} must hold a mapping of keys`)
  } catch (error) {
    problems.push(`config: ${name} is not valid YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  return {}
}

/**
 * Replaces a key such as `databaseUrlFile: /run/secrets/database-url` by the secret key `databaseUrl` with the content of that file. If a
 * secret key has both a file and a value, adds a message to `problems`, because it is unclear which of them is meant.
 */
export const takeSecretFiles = (keys: readonly ConfigKey[], tree: Tree, problems: string[]): void => {
  for (const key of keys) {
    if (!key.secret || key.path.includes(anyName)) continue
    const section = getPath(tree, key.path.slice(0, -1))
    const name = `${key.path.at(-1)}File`
    if (typeof section !== 'object' || section === null || !(name in section)) continue
    const { [name]: file, ...rest } = section as Tree
    const shown = [...key.path.slice(0, -1), name].join('.')
    delete (section as Tree)[name]
    if (key.path.at(-1) !== undefined && (key.path.at(-1) ?? '') in rest)
      problems.push(`${shown}: ${key.path.join('.')} is set, too; keep one of them`)
    else if (typeof file !== 'string') problems.push(`${shown}: must be the name of a file`)
    else {
      const held = readSecretFile(shown, file, problems)
      if (held !== undefined) setPath(tree, key.path, fromText(key, held))
    }
  }
}
