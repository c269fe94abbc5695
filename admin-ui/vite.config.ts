import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vite'
import { contractsAsTargets } from './contracts.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Where the daemon listens during development. */
const daemon = 'http://localhost:3000'

/** Paths that the daemon answers. Every other HTML request is a hosted page. */
const daemonPaths = [
  '^/(sign-in|sign-up)/.+',
  '^/(get-session|list-sessions|revoke-session|revoke-sessions|revoke-other-sessions|sign-out)($|\\?)',
  '^/(send-verification-email|verify-email|request-password-reset|change-password|change-email)($|\\?)',
  '^/(update-user|delete-user|list-accounts|link-social|unlink-account)($|\\?)',
  '^/(reset-password|delete-user|callback)/.+',
  '^/(ok|livez|readyz|jwks|openapi\\.json)($|\\?)',
  // The sources of the pages lie below the same name: they end in `.tsx`, `.ts` or `.css`.
  '^/hosted/[\\w/-]+($|\\?)',
  '^/(organization|interaction|oauth2|api/auth|webhooks|\\.well-known)/',
  '^/(setup|recover-address|verify-email)/check$',
  '^/proof-of-work($|\\?)',
  '^/(two-factor|passkey|magic-link|email-otp)/.+',
]

const toDaemon = {
  target: daemon,
  // The daemon compares Host and Origin with its public address; in development the browser's are Vite's.
  changeOrigin: true,
  autoRewrite: true,
  headers: { origin: daemon },
}

/** Answers page addresses with the entry file, as the daemon does in production. */
const hostedPages = (): Plugin => ({
  name: 'gatehouse-hosted-pages',
  configureServer: (server) => {
    server.middlewares.use((request, _response, next) => {
      const wantsPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
      const isDaemon = daemonPaths.some((path) => new RegExp(path).test(request.url ?? ''))
      if (wantsPage && !isDaemon) request.url = /^\/docs($|\?)/.test(request.url ?? '') ? '/docs.html' : '/hosted.html'
      next()
    })
  },
})

export default defineConfig({
  root: here('.'),
  appType: 'mpa',
  plugins: [react(), hostedPages(), contractsAsTargets()],
  server: {
    port: 5173,
    proxy: {
      ...Object.fromEntries(daemonPaths.map((path) => [path, toDaemon])),
      // The addresses of these pages and of their calls are the same; only the call is a POST.
      '^/(setup|reset-password|recover-address)($|\\?)': {
        ...toDaemon,
        bypass: (request) => (request.method === 'GET' ? '/hosted.html' : undefined),
      },
    },
  },
  // Found by the scan for dependencies, which reads contracts as they are.
  optimizeDeps: { exclude: ['zod'] },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    // The content policy allows files of our own origin and nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { hosted: here('hosted.html'), docs: here('docs.html'), 'sign-out': here('hosted/sign-out.css') },
      // The daemon writes the page that asks about a sign-out: it must know the name of its style sheet.
      output: {
        assetFileNames: ({ names }) =>
          names.includes('sign-out.css') ? 'hosted/[name][extname]' : 'assets/[name]-[hash][extname]',
      },
    },
  },
})
