/** Finds the keys of texts that the sources name. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * Returns a function that tells whether a source of `patterns` names a key. A key can be a text, a property, part of `{{t:…}}` in texts
 * that the server fills in, or match a template that begins with its first words. Templates that match too many keys (`serverError.…`)
 * have their own test.
 */
export const namedIn = (patterns: readonly string[]): ((key: string) => boolean) => {
  const literals = new Set<string>()
  const templates = new Map<string, RegExp>()
  const note = (text: string) => {
    literals.add(text)
    for (const [, key = ''] of text.matchAll(/\{\{t:([\w.]+)\}\}/g)) literals.add(key)
  }
  for (const path of globSync([...patterns], { cwd: root, exclude: ['**/dist/**', '**/node_modules/**'] })) {
    const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'))
    new Visitor({
      Literal: ({ value }) => {
        if (typeof value === 'string') note(value)
      },
      MemberExpression: ({ property }) => {
        if (property.type === 'Identifier') literals.add(property.name)
      },
      JSXText: ({ value }) => note(value.trim()),
      TemplateLiteral: ({ quasis }) => {
        const parts = quasis.map(({ value }) => value.cooked ?? '')
        if (parts.length === 1) note(parts[0] ?? '')
        else if (/^\w+\./.test(parts[0] ?? '')) templates.set(parts.join('…'), new RegExp(`^${parts.map(escaped).join('.+')}$`))
      },
    }).visit(program)
  }
  return (key) => literals.has(key) || [...templates.values()].some((template) => template.test(key))
}
