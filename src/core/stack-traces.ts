import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

type MapOf = (file: string) => SourceMap | undefined

/** Reads the source map beside a file when it is first needed, and only once. */
const createMaps = (): MapOf => {
  const maps = new Map<string, SourceMap | undefined>()
  return (file) => {
    if (maps.has(file)) return maps.get(file)
    let map: SourceMap | undefined
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')))
    } catch {
      // The module is not part of the bundle, so there is no source map for it.
    }
    maps.set(file, map)
    return map
  }
}

/** A line of a stack trace. If the code is in the bundle, the line names file, line and column of the source. */
const lineOf = (site: NodeJS.CallSite, mapOf: MapOf): string => {
  const text = String(site)
  const [file, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()]
  if (!file?.startsWith('file:') || line === null || column === null) return text
  const origin = mapOf(file)?.findOrigin(line, column)
  if (origin === undefined || !('fileName' in origin)) return text
  const source = fileURLToPath(new URL(origin.fileName, file))
  return text.replace(`${file}:${line}:${column}`, `${source}:${origin.lineNumber}:${origin.columnNumber}`)
}

/**
 * Makes stack traces name lines of the source files instead of lines of the bundle. Node has an option for this, but it examines every
 * file that is loaded, which takes a tenth of the start. Here a source map is read when the first stack trace needs it.
 */
export const nameSourcesInStackTraces = (): void => {
  const mapOf = createMaps()
  Error.prepareStackTrace = (error, sites) => {
    let title = 'Error'
    try {
      title = String(error)
    } catch {
      // Reading the message of an error may throw. The stack is written without the message then.
    }
    return [title, ...sites.map((site) => `    at ${lineOf(site, mapOf)}`)].join('\n')
  }
}
