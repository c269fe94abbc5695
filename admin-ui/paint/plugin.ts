import type { Plugin } from 'vite'
import { runnerImport } from 'vite'
import { type PaintFile, packPaint } from '../../src/http/painted.ts'

/**
 * A plugin that writes `first-paint.json`, from which the server makes the first byte of every page, with built files in place of source
 * paths. It also writes `page-texts.json` with all texts. `root` is the directory of the pages, with a slash at its end. `plugins` load
 * their sources.
 */
export const firstPaint = (root: string, plugins: readonly Plugin[]): Plugin => ({
  name: 'gatehouse-first-paint',
  apply: 'build',
  async generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
    const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
    const entry = chunks.find(({ isEntry, name }) => isEntry && name === 'hosted')
    const withImports = (name: string, found = new Set<string>()): ReadonlySet<string> => {
      if (found.has(name)) return found
      found.add(name)
      for (const imported of byName.get(name)?.imports ?? []) withImports(imported, found)
      return found
    }
    // The HTML file of the page names these files itself.
    const there = entry === undefined ? new Set<string>() : withImports(entry.fileName)
    const chunksOf = (sources: readonly string[]) => {
      const names = sources.flatMap((source) => {
        const id = root + source
        const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(id))
        if (chunk === undefined) this.error(`${source} is in no file of the pages`)
        return [...withImports(chunk.fileName)]
      })
      return [...new Set(names)].filter((name) => !there.has(name))
    }
    /** True for a chunk that consists of style sheets only. Vite leaves it out of its output. */
    const isSheet = (name: string) => byName.get(name)?.moduleIds.every((id) => id.endsWith('.css')) === true
    const filesOf = (sources: readonly string[]) =>
      chunksOf(sources)
        .filter((name) => !isSheet(name))
        .map((name) => `/${name}`)
    const stylesOf = (sources: readonly string[]) => {
      const sheets = chunksOf(sources).flatMap((name) => [...(byName.get(name)?.viteMetadata?.importedCss ?? [])])
      return [...new Set(sheets)].map((name) => `/${name}`)
    }
    const { module } = await runnerImport<{ painted: PaintFile; pageTexts: object }>(`${root}paint/pages.tsx`, {
      plugins: [...plugins],
    })
    const json = JSON.stringify(packPaint(module.painted), (key, value) =>
      key === 'files' ? filesOf(value) : key === 'styles' ? stylesOf(value) : value,
    )
    this.emitFile({ type: 'asset', fileName: 'first-paint.json', source: json })
    this.emitFile({ type: 'asset', fileName: 'page-texts.json', source: JSON.stringify(module.pageTexts) })
  },
})
