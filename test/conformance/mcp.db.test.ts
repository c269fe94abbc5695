/**
 * An MCP client gets a token for an MCP server (Model Context Protocol, authorization; docs/how-to/mcp.md), step by step. In `npm run
 * test:full`, which has access to the registry, the official SDK does the same as client and as server.
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Application, authorizePath, goOn, postForm, queryOf, register, userinfo, verifier } from '../http/oidc/flow.ts'
import { registered, registers } from '../http/oidc/registering.ts'
import { type TestApp, testApp } from '../support/app.ts'
import type { Client as Browser } from '../support/client.ts'
import { installFromNpm, requireTool } from '../support/test-packages.ts'

const own = 'http://localhost:9/own-tools'
/** The version that docs/how-to/mcp.md names. */
const sdk = { '@modelcontextprotocol/sdk': '1.32.2' } as const

let t: TestApp
let tools: Application
let ann: Browser
let server: Server
let resource: string
beforeAll(async () => {
  server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  resource = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  t = await testApp({
    config: {
      oidc: {
        registration: 'open',
        resources: [
          { resource, clientId: 'tools', name: 'Tools', scopes: ['openid', 'email', 'offline_access'] },
          { resource: own, clientId: 'other-tools' },
        ],
      },
    },
  })
  tools = await register(t, { name: 'Tools', type: 'machine', redirectUris: [], clientId: 'tools' })
  ann = await t.signedIn('ann@example.com')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await t.stop()
})

const loopback = 'http://127.0.0.1:33418/callback'
const agent = {
  client_name: 'Agent',
  redirect_uris: [loopback],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
}

const codeFor = async (client: Application, params: Record<string, string | undefined>) => {
  const query = { redirect_uri: loopback, scope: 'openid email offline_access', prompt: 'consent', ...params }
  return queryOf((await goOn(ann, await ann.request(authorizePath(client, query)))).location)
}
const tokensFor = async (client: Application, code: string, more: Record<string, string> = {}) =>
  postForm(t, client, '/oauth2/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: loopback,
    code_verifier: verifier,
    ...more,
  })
const introspect = async (by: Application, token: unknown) =>
  (await postForm(t, by, '/oauth2/introspect', { token: String(token) })).json

describe('an unknown MCP client', () => {
  test('an MCP client discovers the endpoints, registers itself, signs a person in for the resource, and refreshes its token', async () => {
    const { json: metadata } = await t.client().request('/.well-known/oauth-authorization-server')
    expect(metadata).toMatchObject({
      ...{ registration_endpoint: `${t.url}/oauth2/register`, code_challenge_methods_supported: ['S256'] },
      ...{
        authorization_response_iss_parameter_supported: true,
        token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
      },
    })
    const client = { ...(await registered(t, agent)), secret: undefined }
    const { code, iss } = await codeFor(client, { resource, redirect_uri: 'http://127.0.0.1:50000/callback' })
    expect(iss).toBe(t.url)
    const { json } = await tokensFor(client, code ?? '', { resource, redirect_uri: 'http://127.0.0.1:50000/callback' })
    expect(await introspect(tools, json['access_token'])).toMatchObject({
      active: true,
      aud: resource,
      client_id: client.clientId,
    })
    const renewed = await postForm(t, client, '/oauth2/token', {
      ...{ grant_type: 'refresh_token', refresh_token: String(json['refresh_token']), resource },
    })
    expect(await introspect(tools, renewed.json['access_token'])).toMatchObject({ active: true, aud: resource })
  })

  test('the token of an MCP client is valid only at its resource: neither at another resource nor at userinfo', async () => {
    const others = await register(t, { name: 'Other tools', type: 'machine', redirectUris: [], clientId: 'other-tools' })
    const client = { ...(await registered(t, agent)), secret: undefined }
    const { json } = await tokensFor(client, (await codeFor(client, { resource }))['code'] ?? '', { resource })
    expect(await introspect(others, json['access_token'])).toEqual({ active: false })
    expect((await userinfo(t, json['access_token'])).status).toBe(401)
    const plain = await tokensFor(client, (await codeFor(client, {}))['code'] ?? '')
    expect(await introspect(tools, plain.json['access_token'])).toEqual({ active: false })
    expect((await userinfo(t, plain.json['access_token'])).status).toBe(200)
  })

  test('a resource that this server issues no tokens for, or that was not authorized, is refused in every request', async () => {
    const client = { ...(await registered(t, agent)), secret: undefined }
    for (const foreign of ['https://evil.example/mcp', 'nonsense', `${resource}#a`, `${resource}/other`])
      expect(await codeFor(client, { resource: foreign })).toMatchObject({ error: 'invalid_target' })
    const pushed = await postForm(t, client, '/oauth2/par', {
      response_type: 'code',
      redirect_uri: loopback,
      resource: 'https://evil.example/mcp',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    expect(pushed.json['error']).toBe('invalid_target')
    const code = async (params = {}) => (await codeFor(client, params))['code'] ?? ''
    expect((await tokensFor(client, await code(), { resource: 'https://evil.example/mcp' })).json['error']).toBe('invalid_target')
    expect((await tokensFor(client, await code(), { resource })).json['error']).toBe('invalid_target')
    expect((await tokensFor(client, await code({ resource }), { resource: own })).json['error']).toBe('invalid_target')
    expect((await tokensFor(client, await code({ resource }))).status).toBe(200)
    const machine = await register(t, { name: 'Job', type: 'machine', redirectUris: [] })
    const asMachine = (of: string) => postForm(t, machine, '/oauth2/token', { grant_type: 'client_credentials', resource: of })
    expect((await asMachine('https://evil.example/mcp')).json['error']).toBe('invalid_target')
    expect(await introspect(tools, (await asMachine(resource)).json['access_token'])).toMatchObject({ aud: resource })
  })

  test('a resource at the address of this server and the server itself each have metadata at their own address', async () => {
    const node = await testApp({
      config: { url: 'http://localhost:9', oidc: { resources: [{ resource: own, name: 'Own tools', scopes: ['openid'] }] } },
    })
    try {
      const base = `http://localhost:${node.url.split(':').at(-1)}`
      const read = async (path: string) => (await fetch(`${base}/.well-known/oauth-protected-resource${path}`)).json()
      expect(await read('/own-tools')).toEqual({
        ...{ resource: own, authorization_servers: ['http://localhost:9'], scopes_supported: ['openid'] },
        ...{ bearer_methods_supported: ['header'], resource_name: 'Own tools' },
      })
      expect(await read('')).toMatchObject({ resource: 'http://localhost:9', authorization_servers: ['http://localhost:9'] })
    } finally {
      await node.stop()
    }
  })

  test('if registration is closed, the refusal of an MCP client asks for authentication', async () => {
    const closed = await testApp()
    try {
      expect((await registers(closed, agent)).json['error_description']).toBe('Authentication required for client registration')
    } finally {
      await closed.stop()
    }
  })
})

/** The parts of the SDK that the test uses. The SDK is not a dependency here. */
type Loaded = Readonly<Record<string, (...values: never[]) => unknown>>

test('the official MCP SDK connects as client and as server without an administrator', {
  timeout: 600_000,
}, async (context) => {
  const directory = await requireTool(context, 'the MCP SDK', () => installFromNpm('mcp-sdk', sdk))
  const load = async (path: string) =>
    (await import(pathToFileURL(join(directory, 'node_modules/@modelcontextprotocol/sdk/dist/esm', path)).href)) as Loaded
  const { auth } = await load('client/auth.js')
  const { Client } = (await load('client/index.js')) as unknown as {
    Client: new (
      info: object,
    ) => {
      connect(transport: unknown): Promise<void>
      listTools(): Promise<{ tools: { name: string }[] }>
      close(): Promise<void>
    }
  }
  const { StreamableHTTPClientTransport } = (await load('client/streamableHttp.js')) as unknown as {
    StreamableHTTPClientTransport: new (url: URL, options: object) => { finishAuth(code: string): Promise<void> }
  }
  const { McpServer } = (await load('server/mcp.js')) as unknown as {
    McpServer: new (info: object) => { registerTool(...values: unknown[]): void; connect(transport: unknown): Promise<void> }
  }
  const { StreamableHTTPServerTransport } = (await load('server/streamableHttp.js')) as unknown as {
    StreamableHTTPServerTransport: new (options: object) => { handleRequest(req: unknown, res: unknown): Promise<void> }
  }
  const { requireBearerAuth } = (await load('server/auth/middleware/bearerAuth.js')) as unknown as {
    requireBearerAuth: (options: object) => (req: unknown, res: unknown, next: () => void) => void
  }
  expect(auth).toBeTypeOf('function')

  // The server: metadata of the resource, tokens checked by introspection, one tool.
  const metadataPath = '/.well-known/oauth-protected-resource/mcp'
  const check = requireBearerAuth({
    verifier: {
      verifyAccessToken: async (token: string) => {
        const found = await introspect(tools, token)
        if (found['active'] !== true || found['aud'] !== resource) throw new Error('not for this server')
        return {
          token,
          clientId: String(found['client_id']),
          scopes: String(found['scope']).split(' '),
          expiresAt: Number(found['exp']),
        }
      },
    },
    resourceMetadataUrl: new URL(metadataPath, resource).href,
  })
  const guarded = (req: unknown, answer: ServerResponse) =>
    new Promise<void>((resolve) => {
      const headers: Record<string, string> = {}
      const res = {
        set: (name: string, value: string) => {
          headers[name] = value
        },
        status: (status: number) => ({
          json: (body: unknown) => {
            answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
            resolve()
          },
        }),
      }
      check(req, res, () => resolve())
    })
  server.on('request', async (req, res) => {
    if (req.url === metadataPath)
      return void res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify({ resource, authorization_servers: [t.url], scopes_supported: ['openid', 'email', 'offline_access'] }),
        )
    if (req.url !== '/mcp') return void res.writeHead(404).end()
    await guarded(req, res)
    if (res.writableEnded) return
    const mcp = new McpServer({ name: 'tools', version: '1' })
    mcp.registerTool('greet', { description: 'Greets' }, async () => ({ content: [{ type: 'text', text: 'Hello' }] }))
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
    await mcp.connect(transport)
    await transport.handleRequest(req, res)
  })

  // The client, which knows only the address of the server.
  const kept: { client?: object; tokens?: object; verifier?: string; address?: URL } = {}
  const authProvider = {
    redirectUrl: loopback,
    clientMetadata: { ...agent, scope: 'openid email offline_access' },
    clientInformation: () => kept.client,
    saveClientInformation: (client: object) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: object) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (address: URL) => {
      kept.address = address
    },
    saveCodeVerifier: (value: string) => {
      kept.verifier = value
    },
    codeVerifier: () => kept.verifier,
  }
  const transport = new StreamableHTTPClientTransport(new URL(resource), { authProvider })
  await expect(new Client({ name: 'agent', version: '1' }).connect(transport)).rejects.toThrow('Unauthorized')
  expect(kept.address?.searchParams.get('resource')).toBe(resource)
  const answer = await goOn(ann, await ann.request(`${kept.address?.pathname}${kept.address?.search}`))
  await transport.finishAuth(queryOf(answer.location)['code'] ?? '')
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(resource), { authProvider }))
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet'])
  await client.close()
})
