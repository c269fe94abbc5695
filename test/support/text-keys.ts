/** Which keys of texts the sources name. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * Tells whether a source of `patterns` names a key: as a text or a property, within `{{t:…}}` of what the server fills in, or by a template that begins with the first
 * words of the key. What a template reaches too many keys with (`serverError.…`) has a test of its own.
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
