/** The official client for passkeys. A software authenticator answers its requests to the browser. */
import { passkeyClient } from '@better-auth/passkey/client'
import { createAuthClient } from 'better-auth/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { type AskedCreation, type AskedRequest, createAuthenticator } from '../support/authenticator.ts'
import { done, refused } from '../support/better-auth.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

type Bytes = ArrayBuffer | Uint8Array
const text = (bytes: Bytes) => Buffer.from(bytes as Uint8Array).toString('base64url')
const buffer = (value: string | null) => (value === null ? null : new Uint8Array(Buffer.from(value, 'base64url')).buffer)
const texts = (list: readonly { readonly id: Bytes }[] = []) => list.map(({ id }) => ({ id: text(id) }))

/** The browser API uses bytes where the wire has text. */
interface CreationCall {
  readonly publicKey: { readonly challenge: Bytes; readonly rp: AskedCreation['rp']; readonly user: { readonly id: Bytes } }
}
interface RequestCall {
  readonly publicKey: {
    readonly challenge: Bytes
    readonly rpId: string
    readonly allowCredentials?: readonly { readonly id: Bytes }[]
  }
}

let authenticator = createAuthenticator()
beforeEach(() => {
  authenticator = createAuthenticator({ aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d' })
  const page = () => ({ origin: t.url })
  const answer = (made: ReturnType<typeof authenticator.get> | ReturnType<typeof authenticator.create>, more: object) => ({
    ...{ id: made.id, rawId: buffer(made.rawId), type: made.type, authenticatorAttachment: 'platform' },
    response: {
      ...Object.fromEntries(
        Object.entries(made.response).map(([name, value]) => [name, Array.isArray(value) ? value : buffer(value as string)]),
      ),
      ...more,
    },
    getClientExtensionResults: () => ({}),
  })
  const credentials = {
    create: async ({ publicKey: { challenge, rp, user } }: CreationCall) => {
      const asked: AskedCreation = { challenge: text(challenge), rp, user: { id: text(user.id) } }
      return answer(authenticator.create(asked, page()), { getTransports: () => ['internal'] })
    },
    get: async ({ publicKey: { challenge, rpId, allowCredentials } }: RequestCall) => {
      const allowed = allowCredentials === undefined ? undefined : texts(allowCredentials)
      const asked: AskedRequest = { challenge: text(challenge), rpId, allowCredentials: allowed }
      return answer(authenticator.get(asked, page()), {})
    },
  }
  vi.stubGlobal('PublicKeyCredential', () => undefined)
  vi.stubGlobal('navigator', { ...globalThis.navigator, credentials })
  vi.stubGlobal('window', globalThis)
})
afterEach(() => vi.unstubAllGlobals())

const officialClient = () => {
  const browser = t.client()
  const auth = createAuthClient({
    ...{ baseURL: t.url, fetchOptions: { customFetchImpl: browser.fetch } },
    plugins: [passkeyClient()],
  })
  return { auth, browser }
}

test('the Better Auth client adds, lists, renames and removes a passkey, and signs in with a passkey', async () => {
  const { auth } = officialClient()
  done(await auth.signUp.email({ email: 'ann@example.com', name: 'Ann Example', password }))
  const added = done(await auth.passkey.addPasskey({ name: 'Laptop' }))
  expect(added).toMatchObject({ name: 'Laptop', deviceType: 'singleDevice', backedUp: false, transports: 'internal' })
  expect(added.createdAt).toBeInstanceOf(Date)
  expect(done(await auth.passkey.listUserPasskeys())).toMatchObject([{ id: added.id, credentialID: added.credentialID }])
  const renamed = done(await auth.passkey.updatePasskey({ id: added.id, name: 'Desk' }))
  expect(renamed.passkey.name).toBe('Desk')
  done(await auth.signOut())
  const signedIn = done(await auth.signIn.passkey())
  expect(signedIn).toMatchObject({ user: { email: 'ann@example.com' }, session: { userId: added.userId } })
  expect(done(await auth.getSession()).user.email).toBe('ann@example.com')
  expect(done(await auth.passkey.deletePasskey({ id: added.id }))).toEqual({ status: true })
  expect(done(await auth.passkey.listUserPasskeys())).toEqual([])
  done(await auth.signOut())
  expect(refused(await auth.signIn.passkey())).toEqual([401, 'PASSKEY_NOT_FOUND', 'Passkey not found'])
})

test('the passkey store of the Better Auth client contains an added passkey, and a passkey without a name gets the name of its authenticator', async () => {
  const { auth } = officialClient()
  done(await auth.signUp.email({ email: 'bob@example.com', name: 'Bob Example', password }))
  const names: (readonly (string | undefined)[] | undefined)[] = []
  const stop = auth.useListPasskeys.subscribe(({ data }) => void names.push(data?.map(({ name }) => name)))
  done(await auth.passkey.addPasskey())
  await vi.waitFor(() => expect(names.at(-1)).toEqual(['1Password']), 60_000)
  stop()
})

test('the Better Auth client cannot add a passkey without a session', async () => {
  const { auth } = officialClient()
  const result = await auth.passkey.addPasskey()
  expect(refused(result as never)).toEqual([401, 'UNAUTHORIZED', 'Unauthorized'])
})

test('the Better Auth client uses a security key as the second factor of a sign-in', async () => {
  const { auth } = officialClient()
  authenticator.traits.userVerified = false
  done(await auth.signUp.email({ email: 'cid@example.com', name: 'Cid Example', password }))
  done(await auth.passkey.addPasskey({ createSession: true } as never))
  done(await auth.signOut())
  expect(done(await auth.signIn.email({ email: 'cid@example.com', password }))).toMatchObject({ twoFactorRedirect: true })
  expect(done(await auth.signIn.passkey()).user.email).toBe('cid@example.com')
})
