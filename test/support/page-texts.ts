// Each worker of the browser's tests imports this file before anything else. With it, Node reads the texts of pages as the build does:
// `import.meta.glob` finds their files, and `?only=` selects a catalogue (`admin-ui/texts.ts`). Vite would rewrite all other modules, too.
import { globSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { catalogueModule } from '../../admin-ui/texts.ts'

/** Makes the function that takes the place of `import.meta.glob` in a module. It returns loaders of files, by their path. */
export const globIn =
  (module: string) =>
  (pattern: string, { query, import: name }: { readonly query: string; readonly import: string }) =>
    Object.fromEntries(
      globSync(pattern, { cwd: dirname(fileURLToPath(module)) }).map((path) => [
        path,
        async () => (await import(new URL(path + query, module).href))[name],
      ]),
    )

const read = (url: string | URL) => JSON.parse(readFileSync(new URL(url), 'utf8'))

registerHooks({
  load: (url, context, next) => {
    const [, bundle, catalogue] = /\/locales\/(\w+)\/\w+\.json\?only=(\w+)$/.exec(url) ?? []
    if (bundle !== undefined && catalogue !== undefined) {
      const source = catalogueModule(bundle, catalogue, read(url), read(new URL('en.json', url)))
      return { format: 'module', source, shortCircuit: true }
    }
    const loaded = next(url, context)
    if (!url.includes('/admin-ui/') || !String(loaded.source).includes('import.meta.glob(')) return loaded
    const imported = `import { globIn } from '${import.meta.url}';`
    return { ...loaded, source: imported + String(loaded.source).replaceAll('import.meta.glob(', 'globIn(import.meta.url)(') }
  },
})
