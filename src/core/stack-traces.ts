import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

type MapOf = (file: string) => SourceMap | undefined

/** Reads the map beside a file when it is first asked for, and never again. */
const createMaps = (): MapOf => {
  const maps = new Map<string, SourceMap | undefined>()
  return (file) => {
    if (maps.has(file)) return maps.get(file)
    let map: SourceMap | undefined
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')))
    } catch {
      // Of a module that is not of the bundle.
    }
    maps.set(file, map)
    return map
  }
}

/** One line of a trace; of the bundle's code with file, line and column of its source. */
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
 * Has stack traces of the bundle name lines of the sources. Node does that by itself when it is asked to, but measures every file as it is
 * loaded, which is a tenth of a start; here a map is read when the first trace is shown.
 */
export const nameSourcesInStackTraces = (): void => {
  const mapOf = createMaps()
  Error.prepareStackTrace = (error, sites) => {
    let title = 'Error'
    try {
      title = String(error)
    } catch {
      // An error whose message cannot be read still has stack lines.
    }
    return [title, ...sites.map((site) => `    at ${lineOf(site, mapOf)}`)].join('\n')
  }
}
