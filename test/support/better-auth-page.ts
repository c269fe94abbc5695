/** A single-page application of another party, on its own port. It contains only the official client with its plugin for passkeys. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))
const entry = 'virtual:application'

/** Bundles the page's only script. The script stores the client in a global variable, for the test to use as the page would. */
const bundle = async (serverUrl: string): Promise<string> => {
  const source = `import { createAuthClient } from 'better-auth/client'
import { passkeyClient } from '@better-auth/passkey/client'
globalThis.auth = createAuthClient({ baseURL: ${JSON.stringify(serverUrl)}, plugins: [passkeyClient()] })`
  const application: Plugin = {
    name: 'application',
    resolveId: (id) => (id === entry ? `\0${entry}` : undefined),
    load: (id) => (id === `\0${entry}` ? source : undefined),
  }
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    root,
    plugins: [application],
    build: { write: false, copyPublicDir: false, rolldownOptions: { input: entry } },
  })
  const chunks = [output].flat().flatMap((result) => ('output' in result ? result.output : []))
  const script = chunks.find((chunk) => chunk.type === 'chunk')
  if (script === undefined) throw new Error('nothing was built')
  return script.code
}

export interface Application {
  readonly url: string
  /** Gives the page its script. The address of the server must be known by then. */
  connect(serverUrl: string): Promise<void>
  stop(): Promise<void>
}

export const startApplication = async (): Promise<Application> => {
  let script = ''
  const server = createServer((req, res) => {
    const isScript = req.url === '/application.js'
    res.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    res.end(
      isScript
        ? script
        : '<!doctype html><title>Application</title><input autocomplete="username webauthn"><script type="module" src="/application.js"></script>',
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    connect: async (serverUrl) => {
      script = await bundle(serverUrl)
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
