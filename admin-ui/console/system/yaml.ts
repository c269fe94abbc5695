/** A setting as it is written in the configuration file. The value is written as JSON, which is valid YAML. */
export const yamlOf = (key: string, value: unknown): string => {
  const parts = key.split('.')
  return parts
    .map((part, depth) => `${'  '.repeat(depth)}${part}:${depth === parts.length - 1 ? ` ${JSON.stringify(value)}` : ''}`)
    .join('\n')
}
