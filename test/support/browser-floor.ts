/** Names and styles that the oldest supported browsers do not have yet, according to MDN's compatibility data. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { CompatData, CompatStatement, Identifier, SimpleSupportStatement } from '@mdn/browser-compat-data'
import { browserFloor } from '../../admin-ui/browser-floor.ts'

// The data is read as a file. As a module, its twenty megabytes would take ten times as long.
const data: CompatData = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('@mdn/browser-compat-data'), 'utf8'))

const browserNames: Readonly<Record<string, keyof CompatStatement['support']>> = {
  safari: 'safari',
  ios: 'safari_ios',
  firefox: 'firefox',
  chrome: 'chrome',
  edge: 'edge',
}

const floor = browserFloor.map((target) => {
  const [, name = '', version = ''] = /^([a-z]+)([\d.]+)$/.exec(target) ?? []
  const browser = browserNames[name]
  if (browser === undefined) throw new Error(`no compatibility data for ${target}`)
  return { browser, version }
})

const isAtMost = (one: string, other: string): boolean => {
  const [ours, theirs] = [one, other].map((version) => version.replace('≤', '').split('.').map(Number))
  const parts = Math.max(ours?.length ?? 0, theirs?.length ?? 0)
  for (let i = 0; i < parts; i += 1) {
    const difference = (ours?.[i] ?? 0) - (theirs?.[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return true
}

/** True if a browser supports a feature by default and under its own name. */
const isSupported = (statement: SimpleSupportStatement, version: string): boolean => {
  const { version_added: added, version_removed: removed, flags, prefix, alternative_name: otherName } = statement
  if (flags !== undefined || prefix !== undefined || otherName !== undefined) return false
  if (typeof added !== 'string' || added === 'preview' || !isAtMost(added, version)) return false
  return typeof removed !== 'string' || !isAtMost(removed, version)
}

/** True for a feature that at least one of the oldest supported browsers does not have. */
export const isYounger = ({ support }: CompatStatement): boolean =>
  floor.some(({ browser, version }) => {
    const given = support[browser]
    const statements = given === undefined ? [] : [given].flat()
    return !statements.some((statement) => isSupported(statement as SimpleSupportStatement, version))
  })

const children = (feature: Identifier): readonly (readonly [name: string, child: Identifier])[] =>
  Object.entries(feature).filter(([name]) => name !== '__compat') as [string, Identifier][]

/** A function or object that scripts use by name. Without a member it is the whole object. */
export interface ScriptName {
  readonly owner: string
  readonly member?: string
}

const namesOf = (owner: string, feature: Identifier): ScriptName[] => {
  if (feature.__compat !== undefined && isYounger(feature.__compat)) return [{ owner }]
  return children(feature).flatMap(([name, child]) => {
    if (name.startsWith('@@') || name.endsWith('_event') || owner.endsWith(name)) return []
    const member = name.replace(/_static$/, '')
    if (child.__compat !== undefined && isYounger(child.__compat)) return [{ owner, member }]
    // `Intl` is a namespace, so its members have members.
    return owner === 'Intl' ? namesOf(`${owner}.${member}`, child) : []
  })
}

const { builtins = {} } = data.javascript
const scripts = [...children(builtins), ...children(data.api)]

export const youngerNames: readonly ScriptName[] = scripts.flatMap(([owner, feature]) => namesOf(owner, feature))

/** Names of members that some older object has, too. A script does not show to which object a member belongs. */
const olderMembers = new Set(
  scripts
    .flatMap(([owner, feature]) => [feature, ...(owner === 'Intl' ? children(feature).map(([, child]) => child) : [])])
    .flatMap((feature) => children(feature))
    .flatMap(([name, { __compat: compat }]) => (compat !== undefined && !isYounger(compat) ? [name] : [])),
)

/** Removes the names from a page before its scripts run. */
export const removeNames = (names: readonly ScriptName[]): void => {
  for (const { owner, member } of names) {
    const path = owner.split('.')
    const last = path.pop() ?? ''
    const home = path.reduce<Record<string, never> | undefined>((from, name) => from?.[name], globalThis as never)
    const remove = (from: unknown, name: string) => {
      if ((typeof from === 'object' && from !== null) || typeof from === 'function') Reflect.deleteProperty(from, name)
    }
    if (member === undefined) remove(home, last)
    else if (home !== undefined) {
      const found = home[last] as { readonly prototype?: unknown } | undefined
      remove(found, member)
      remove(found?.prototype, member)
      if (owner === 'Window') remove(globalThis, member)
    }
  }
}

/** Newer functions that a script calls. Static functions are found by their whole name, and methods by a name that no older object has. */
export const youngerCalls = (script: string): readonly string[] => {
  const texts = (pattern: RegExp) => new Set([...script.matchAll(pattern)].map(([, text = '']) => text))
  // After three dots there is a function of the script's own, not a method.
  const called = texts(/(?<!\.\.)\.([a-zA-Z]\w*)\(/g)
  const named = texts(/\b((?:Intl\.)?[A-Z]\w*\.\w+)/g)
  const made = texts(/\bnew ([A-Z][\w.]*)\(/g)
  return youngerNames.flatMap(({ owner, member }) => {
    if (member === undefined) return made.has(owner) ? [owner] : []
    const name = `${owner}.${member}`
    // A name of one letter comes from the minified build.
    const isCalled = member.length > 1 && called.has(member) && !olderMembers.has(member)
    return named.has(name) || isCalled ? [name] : []
  })
}

const typeNames = new Map<string, CompatStatement>()
const collectTypes = (feature: Identifier) => {
  for (const [name, child] of children(feature)) {
    if (child.__compat !== undefined && !typeNames.has(name)) typeNames.set(name, child.__compat)
    collectTypes(child)
  }
}
collectTypes(data.css['types'] ?? {})

const compatAt = (...path: readonly string[]): CompatStatement | undefined =>
  path.reduce<Identifier | undefined>((feature, name) => feature?.[name], data.css as unknown as Identifier)?.__compat

/**
 * The features that a style sheet uses, each with its compatibility data: at-rules, media features, selectors, properties, their values,
 * functions and units.
 */
const partsOf = (sheet: string): ReadonlyMap<string, CompatStatement | undefined> => {
  const found = new Map<string, CompatStatement | undefined>()
  const prelude = (text: string) => {
    const [, rule] = /^@([\w-]+)/.exec(text) ?? []
    if (rule === undefined) {
      for (const [, name = ''] of text.matchAll(/::?([a-z-]+)/g)) found.set(`:${name}`, compatAt('selectors', name))
      if (text.includes('&')) found.set('&', compatAt('selectors', 'nesting'))
      return
    }
    found.set(`@${rule}`, compatAt('at-rules', rule))
    for (const [, feature = ''] of text.matchAll(/\(([a-z-]+)\s*[:<>=)]/g))
      found.set(`@${rule} (${feature})`, compatAt('at-rules', rule, feature))
  }
  const declaration = (text: string) => {
    const [, property, value = ''] = /^\s*([a-z-]+)\s*:(.*)$/s.exec(text) ?? []
    if (property === undefined) return
    if (!property.startsWith('--')) {
      found.set(property, compatAt('properties', property))
      for (const [word] of value.matchAll(/(?<![\w-])[a-z][a-z-]*(?![\w-]*\()/g))
        found.set(`${property}: ${word}`, compatAt('properties', property, word))
    }
    for (const [, name = ''] of value.matchAll(/([a-z-]+)\(/g)) found.set(`${name}()`, typeNames.get(name))
    for (const [, unit = ''] of value.matchAll(/(?<![\w#-])-?[\d.]+([a-z]+)/g)) found.set(`1${unit}`, typeNames.get(unit))
  }
  const text = sheet.replace(/\/\*.*?\*\//gs, '').replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
  let from = 0
  /** Nesting depth of the outermost `@supports` block, if the parser is inside one. */
  let guarded: number | undefined
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (sign !== '{' && sign !== '}' && sign !== ';') continue
    const part = text.slice(from, at).trim()
    from = at + 1
    if (sign === '{' && part.startsWith('@supports')) guarded ??= depth
    if (guarded === undefined && part !== '') {
      if (sign === '{' || part.startsWith('@')) prelude(part)
      else declaration(part)
    }
    if (sign === '{') depth += 1
    if (sign === '}') depth -= 1
    if (guarded !== undefined && depth <= guarded && sign === '}') guarded = undefined
  }
  return found
}

/** Features that a style sheet uses outside of `@supports` and that not every supported browser has. */
export const youngerStyles = (sheet: string): readonly string[] =>
  [...partsOf(sheet)].flatMap(([name, compat]) =>
    compat !== undefined && isYounger(compat) && !sheet.includes(`-webkit-${name}:`) ? [name] : [],
  )
