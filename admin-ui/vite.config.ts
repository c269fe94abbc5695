import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vite'
import { locales } from '../src/core/locale.ts'
import { browserFloor } from './browser-floor.ts'
import { contractsAsTargets } from './contracts.ts'
import { daemonProxy, developmentPages } from './development.ts'
import { firstPaint } from './paint/plugin.ts'
import { completeTexts, textsByCatalogue } from './texts.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * A Vite plugin that compresses scripts and styles with Brotli at the highest level, for which a running server has no time. The files
 * become a seventh smaller than with the server's gzip.
 */
const compressed = (): Plugin => ({
  name: 'gatehouse-compressed',
  // Test builds set `reportCompressedSize: false` and need no compressed files.
  apply: ({ build }, { command }) => command === 'build' && build?.reportCompressedSize !== false,
  generateBundle: {
    order: 'post',
    async handler(_, bundle) {
      const files = Object.values(bundle).filter(({ fileName }) => /\.(js|css)$/.test(fileName))
      await Promise.all(
        files.map(async (file) => {
          const source = await promisify(brotliCompress)(file.type === 'chunk' ? file.code : file.source)
          this.emitFile({ type: 'asset', fileName: `${file.fileName}.br`, source })
        }),
      )
    },
  },
})

export default defineConfig({
  root: here('.'),
  appType: 'mpa',
  plugins: [
    react(),
    developmentPages(here('./')),
    contractsAsTargets(),
    completeTexts(locales),
    textsByCatalogue(),
    firstPaint(here('./'), [textsByCatalogue()]),
    compressed(),
  ],
  server: {
    port: 5173,
    proxy: daemonProxy,
  },
  // Vite's scan for dependencies reads the original contracts, and would find zod in them.
  optimizeDeps: { exclude: ['zod'] },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    target: [...browserFloor],
    sourcemap: false,
    // The content policy allows files of this origin, but no inline content. Assets must therefore not be inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { hosted: here('hosted.html'), console: here('console.html'), docs: here('docs.html') },
      output: {
        // An additional request costs more than some unused bytes. The sign-in page loads two files at first. Two further files contain
        // what most other pages need.
        codeSplitting: {
          groups: [
            // API calls, and other code that also runs on pages that are shown as the server wrote them. This file renders nothing.
            {
              name: 'calls',
              test: /\0vite\/preload-helper|admin-ui\/(shared\/(api|chosen-language|passkey|refusals)|hosted\/(return-url|sign-in\/passkey-sign-in|social\/last-used))\.ts$|src\/(http\/client|core\/(web|locale)|authentication\/methods\/passkey\/contract)\.ts$/,
            },
            {
              name: 'base',
              test: /node_modules\/(react|react-dom|scheduler)\/|\0rolldown[/-]runtime|admin-ui\/shared\/(i18n|language|text|icons|logo|ui)\.tsx?$/,
            },
            {
              name: 'forms',
              test: /admin-ui\/(hosted\/(start|sign-in\/page|client|social\/buttons)|shared\/(checks|field|form))\.tsx?$/,
            },
            // Contracts without their schemas, each with a few hundred bytes. Contracts that the sign-in page uses are in the groups
            // above, or in that page's own file.
            { name: 'contracts', test: /\/src\/(?!http\/|health\/page-errors\/).*\/contract(\/[^/]+)?\.ts$/ },
            // Styles that many pages need. Pages link to this file directly, so it works without script.
            { name: 'more', test: /admin-ui\/hosted\/more\.css$/ },
            { name: 'router', test: /node_modules\/react-router\// },
            // Modules that several hosted pages share. The group `account` contains the modules of the account area. Modules that only
            // the console needs are in neither of the two.
            {
              name: 'parts',
              test: /admin-ui\/(hosted\/(cancel|decision|mailing|mail-request|message-card|new-account|proof|not-found\/page|extra-fields|second-factor\/heading|two-factor\/pending)|shared\/(strength|loading|code-field))\.tsx?$/,
            },
            {
              // Modules that every list of the console needs. If each were a file of its own, each would cost a request and a kilobyte of
              // headers.
              name: 'lists',
              test: /node_modules\/@tanstack\/|admin-ui\/console\/(texts|shared\/(action-button|copy-field|curl|data-table|empty|facts|failure|filters|id|page|resource-link|show-call|time|use-copy|use-list|use-row-keys))\.tsx?$/,
            },
            // Modules that the account area and the console share, and that are in none of the groups above.
            { name: 'proofs', test: /admin-ui\/shared\/(account-paths|device|proof\/(in-place|ways))\.tsx?$/ },
            {
              name: 'account',
              test: /admin-ui\/hosted\/(account\/(confirm|context|devices|due|empty-state|first-steps|menu|navigation|outcome|overview|overview-sign-ins|overview-ways|page|recovery-wait|section)|organizations\/routes)\.tsx?$/,
            },
            {
              debugName: 'account texts',
              name: (id) => /(\w+)\.json\?only=(?:account|organizations|secondFactor)$/.exec(id)?.[1]?.concat('-account') ?? null,
            },
          ],
        },
      },
    },
  },
})
