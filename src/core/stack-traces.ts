import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

type MapOf = (file: string) => SourceMap | undefined

/** Reads the source map beside a file, once, when it is first needed. */
const createMaps = (): MapOf => {
  const maps = new Map<string, SourceMap | undefined>()
  return (file) => {
    if (maps.has(file)) return maps.get(file)
    let map: SourceMap | undefined
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')))
    } catch {
      // The module is not part of the bundle, so it has no map.
    }
    maps.set(file, map)
    return map
  }
}

/** A line of a stack trace. For code of the bundle, it has file, line and column of the source. */
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
 * Makes stack traces of the bundle name lines of the sources. Node's own option would examine every file while loading it, which takes a
 * tenth of the start. Here a map is read for the first trace.
 */
export const nameSourcesInStackTraces = (): void => {
  const mapOf = createMaps()
  Error.prepareStackTrace = (error, sites) => {
    let title = 'Error'
    try {
      title = String(error)
    } catch {
      // An error whose message cannot be read still has a stack.
    }
    return [title, ...sites.map((site) => `    at ${lineOf(site, mapOf)}`)].join('\n')
  }
}
