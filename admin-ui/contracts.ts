import type { Plugin } from 'vite'
import { runnerImport } from 'vite'
import type { Target } from '../src/http/client.ts'

/** Matches the files that contain the contracts of features. A comment in `src/http/contract.ts` explains contracts. */
const contractFile = /\/src\/(?!http\/).*\/contract(?:\/[^/]+)?\.ts$/
const zodFile = /\/node_modules\/zod\//

const isTarget = (value: unknown): value is Target =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value

const isContract = (value: unknown): value is Readonly<Record<string, Target>> =>
  typeof value === 'object' && value !== null && Object.values(value).length > 0 && Object.values(value).every(isTarget)

/** Returns the source of the module that replaces a contract in the browser. It exports only the method and path of each endpoint. */
export const targetsModule = (exported: Readonly<Record<string, unknown>>): string =>
  Object.entries(exported)
    .flatMap(([name, value]) => {
      if (!isContract(value)) return []
      const targets = Object.entries(value).map(([key, { method, path }]) => [key, { method, path }])
      return [`export const ${name} = ${JSON.stringify(Object.fromEntries(targets))}\n`]
    })
    .join('')

/**
 * A Vite plugin that removes the schemas from contracts in the browser's code (decision 0162). If another import would still bring zod
 * into the pages, the build fails and names that import.
 */
export const contractsAsTargets = (): Plugin => {
  const importers = new Set<string>()
  return {
    name: 'gatehouse-contracts',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^zod(\/|$)/ },
      handler(_, importer = '') {
        // During development, Vite's scan for dependencies reads the original contracts, so their imports are no errors.
        if (!contractFile.test(importer)) importers.add(importer)
      },
    },
    load: {
      filter: { id: [contractFile, zodFile] },
      async handler(id) {
        if (zodFile.test(id)) this.error(`Pages do not load zod: import only types from ${[...importers].join(', ')}`)
        const { module, dependencies } = await runnerImport<Record<string, unknown>>(id)
        for (const file of dependencies) this.addWatchFile(file)
        return targetsModule(module)
      },
    },
  }
}
