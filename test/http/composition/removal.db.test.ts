import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GatehouseCommand } from '../../../src/cli/command.ts'
import { composeFeatures, gatehouse } from '../../../src/composition.ts'
import { ConfigError, loadConfig } from '../../../src/core/config.ts'
import { listKeys } from '../../../src/core/config-keys.ts'
import { defineFeature, type FeatureDefinition } from '../../../src/feature.ts'
import type { FeatureList } from '../../../src/feature-list.ts'
import { password, type TestApp, type TestOptions, testApp } from '../../support/app.ts'
import { codeFor, redeem, register, userinfo } from '../oidc/flow.ts'

/** The list of features without one feature. The composition does not compile if another feature needs the missing one. */
type Without<List, Name> = List extends readonly [infer F extends FeatureDefinition, ...infer Rest extends FeatureList]
  ? F['name'] extends Name
    ? Rest
    : readonly [F, ...Without<Rest, Name>]
  : readonly []
const without = <const List extends FeatureList, Name extends List[number]['name']>(features: List, name: Name) =>
  features.filter((feature) => feature.name !== name) as readonly unknown[] as Without<List, Name>

const commandNames = ({ commands }: { readonly commands: readonly ((program: GatehouseCommand, cli: never) => void)[] }) => {
  const program = new GatehouseCommand()
  for (const add of commands) add(program, {} as never)
  return program.commands.map((command) => command.name())
}

/** The parts of one feature: `paths` of its routes, and the names of its command, configuration section, task, error and claim. */
const removals = [
  {
    name: 'billing',
    program: composeFeatures(without(gatehouse.features, 'billing')),
    paths: ['/billing/state', '/billing/subscriptions'],
    command: 'replay-delivery',
    task: 'billing.renewals',
    code: 'YOU_ARE_NOT_ALLOWED_TO_READ_THE_BILLING_OF_THIS_ORGANIZATION',
    scope: 'billing',
  },
  {
    name: 'social',
    program: composeFeatures(without(gatehouse.features, 'social')),
    paths: ['/callback/google'],
    command: undefined,
    task: undefined,
    code: 'PROVIDER_NOT_FOUND',
    scope: undefined,
  },
  {
    name: 'organizations',
    program: composeFeatures(without(gatehouse.features, 'organizations')),
    paths: ['/organization/list', '/organization/list-user-invitations'],
    command: 'create-org',
    task: undefined,
    code: 'SEAT_LIMIT_REACHED',
    scope: 'organizations',
  },
  {
    name: 'apiKeys',
    program: composeFeatures(without(gatehouse.features, 'apiKeys')),
    paths: ['/api-key/list', '/admin/api-keys'],
    command: 'create-api-key',
    task: 'api-keys.sweep',
    code: 'INVALID_API_KEY',
    scope: undefined,
  },
] as const

/** An instance with all features. */
let whole: TestApp
beforeAll(async () => {
  whole = await testApp()
})
afterAll(() => whole.stop())

for (const { name, program, paths, command, task, code, scope } of removals) {
  describe(`an instance without ${name}`, () => {
    let t: TestApp
    beforeAll(async () => {
      t = await testApp({ application: program as unknown as NonNullable<TestOptions['application']> })
    })
    afterAll(() => t.stop())

    test(`an instance without ${name} signs users up and in, and is ready`, async () => {
      const email = 'ann@example.com'
      await t.signedIn(email)
      const browser = t.client()
      expect((await browser.post('/sign-in/email', { email, password })).status).toBe(200)
      expect(await browser.api.sessions.getSession()).toMatchObject({ user: { email } })
      expect((await browser.request('/readyz')).status).toBe(200)
    })

    test(`an instance without ${name} signs users in to applications`, async () => {
      const browser = await t.signedIn('bob@example.com')
      const application = await register(t)
      const tokens = await redeem(t, application, await codeFor(browser, application, { scope: 'openid email' }))
      expect(tokens.status).toBe(200)
      expect((await userinfo(t, tokens.json['access_token'])).json).toMatchObject({ email: 'bob@example.com' })
    })

    test(`an instance without ${name} lets a user delete their account`, async () => {
      const browser = await t.signedIn('carl@example.com')
      expect((await browser.post('/delete-user', { password })).status).toBe(200)
    })

    test(`an instance without ${name} returns 404 for the routes of ${name}`, async () => {
      const [before, after] = [await whole.signedIn(`${name}@example.com`), await t.signedIn('dora@example.com')]
      for (const path of paths) {
        expect((await before.request(path)).status, path).not.toBe(404)
        expect((await after.request(path)).status, path).toBe(404)
      }
    })

    test(`an instance without ${name} has no commands, configuration, tasks, errors and claims of ${name}`, async () => {
      const sections = (one: { readonly configSchema: typeof gatehouse.configSchema }) =>
        new Set(listKeys(one.configSchema).map(({ path }) => path[0]))
      const partsOf = async ({ app, client }: TestApp) => ({
        tasks: app.registered.flatMap(({ tasks = [] }) => tasks.map((one) => one.kind)),
        codes: app.errorTables.flatMap((table) => Object.keys(table)),
        scopes: (await client().request('/.well-known/openid-configuration')).json['scopes_supported'] as readonly string[],
      })
      const [before, after] = [await partsOf(whole), await partsOf(t)]
      expect(sections(gatehouse)).toContain(name)
      expect(sections(program as never)).not.toContain(name)
      expect(() => loadConfig(program.configSchema, { env: {}, flags: { [name]: {} } })).toThrow(ConfigError)
      for (const [list, rest, part] of [
        [commandNames(gatehouse), commandNames(program), command],
        [before.tasks, after.tasks, task],
        [before.codes, after.codes, code],
        [before.scopes, after.scopes, scope],
      ] as const) {
        if (part === undefined) continue
        expect(list).toContain(part)
        expect(rest).not.toContain(part)
      }
    })
  })
}

describe('a list of features with an error', () => {
  const needsUsers = defineFeature({
    name: 'greeter',
    build: (_base, _config: object, { users }: { readonly users: { readonly fields: unknown } }) => ({ api: { greeter: users } }),
  })

  test('a list of features does not compile with a feature before a feature that it needs', () => {
    const { features } = gatehouse
    // @ts-expect-error `users` is not registered yet
    expect(() => composeFeatures([needsUsers, ...features])).not.toThrow()
    expect(() => composeFeatures([...features, needsUsers])).not.toThrow()
  })

  test('a list of features does not compile without a feature that another feature needs', () => {
    // @ts-expect-error `sessions` reads the fields of `users`
    expect(() => composeFeatures(without(gatehouse.features, 'users'))).not.toThrow()
  })

  test('an instance does not start with a claim source that is registered after the claims are read', async () => {
    const late = defineFeature({
      name: 'late',
      build: () => ({ api: {}, claims: [{ scope: 'late', claims: ['late'], claimsOf: async () => ({}) }] }),
    })
    const application = composeFeatures([...gatehouse.features, late])
    await expect(testApp({ application })).rejects.toThrow('late gives claims')
  })
})
