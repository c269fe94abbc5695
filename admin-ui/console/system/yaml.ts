/** A key of the configuration with its value as the file has it. JSON is YAML, so that values need no rules of their own. */
export const yamlOf = (key: string, value: unknown): string => {
  const parts = key.split('.')
  return parts
    .map((part, depth) => `${'  '.repeat(depth)}${part}:${depth === parts.length - 1 ? ` ${JSON.stringify(value)}` : ''}`)
    .join('\n')
}
