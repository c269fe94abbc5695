/** A configuration key with its value, as the configuration file has it. JSON is valid YAML, so values need no further rules. */
export const yamlOf = (key: string, value: unknown): string => {
  const parts = key.split('.')
  return parts
    .map((part, depth) => `${'  '.repeat(depth)}${part}:${depth === parts.length - 1 ? ` ${JSON.stringify(value)}` : ''}`)
    .join('\n')
}
