import type { Application } from '../../../../src/oidc/clients/contract.ts'

type ClientType = (typeof Application)['_zod']['output']['type']

/**
 * The frameworks that the form offers. The framework decides the type of the application, and proposes the redirect URI that the
 * framework's library uses.
 */
export const frameworks = [
  { id: 'node', type: 'web', callback: 'https://app.example.com/callback' },
  { id: 'betterAuth', type: 'web', callback: 'https://app.example.com/api/auth/callback/gatehouse' },
  { id: 'server', type: 'web', callback: 'https://app.example.com/callback' },
  { id: 'spa', type: 'spa', callback: 'https://app.example.com/callback' },
  { id: 'native', type: 'native', callback: 'com.example.app:/callback' },
  { id: 'machine', type: 'machine', callback: '' },
] as const satisfies readonly { readonly id: string; readonly type: ClientType; readonly callback: string }[]

export type Framework = (typeof frameworks)[number]
export type FrameworkId = Framework['id']

export type SnippetId = 'node' | 'betterAuth' | 'browser' | 'shell' | 'generic'

/** The code examples for each type of application, the most common one first. */
export const snippetsOf: Readonly<Record<ClientType, readonly SnippetId[]>> = {
  web: ['node', 'betterAuth', 'generic'],
  spa: ['browser', 'generic'],
  native: ['generic'],
  machine: ['shell', 'generic'],
}

/** The code example that is shown first for a framework. */
export const snippetFor = ({ id, type }: Framework): SnippetId => {
  if (id === 'betterAuth') return 'betterAuth'
  return id === 'server' ? 'generic' : (snippetsOf[type][0] ?? 'generic')
}
