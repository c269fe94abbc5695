import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { type Application, startApplication } from '../support/better-auth-page.ts'
import { launchBrowser, openPage } from '../support/browser.ts'

interface Outcome {
  readonly data: Record<string, unknown> | null
  readonly error: { readonly status: number; readonly code?: string; readonly message?: string } | null
}

interface Traits {
  readonly transport?: 'internal' | 'usb'
  readonly hasUserVerification?: boolean
  readonly hasResidentKey?: boolean
  readonly automaticPresenceSimulation?: boolean
}

describe('passkeys in a browser, with the official Better Auth client in an application on another origin', () => {
  let application: Application
  let t: TestApp
  let browser: Browser
  let page: Page
  let cdp: CDPSession

  const call = (expression: string): Promise<Outcome> =>
    page.evaluate(`(async () => JSON.parse(JSON.stringify(await ${expression})))()`)
  const open = async (url = application.url) => {
    const opened = await openPage(browser, url)
    page = opened.page
    await page.waitForFunction('globalThis.auth !== undefined')
    cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
  }
  /** Connects a virtual authenticator of Chromium to the page. */
  const plugIn = async (traits: Traits = {}): Promise<string> => {
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
        ...traits,
      },
    })
    return authenticatorId
  }
  const unplug = (authenticatorId: string) => cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  const signUp = (email: string) => call(`auth.signUp.email(${JSON.stringify({ email, name: 'Ann Example', password })})`)
  const signInWithPassword = (email: string) => call(`auth.signIn.email(${JSON.stringify({ email, password })})`)
  const whoIsIn = async () => ((await call('auth.getSession()')).data?.['user'] as { email?: string } | undefined)?.email

  beforeAll(async () => {
    application = await startApplication()
    const elsewhere = application.url.replace('localhost', '127.0.0.1')
    t = await testApp({
      config: { trustedOrigins: [application.url, elsewhere], passkeys: { origins: [application.url, elsewhere] } },
    })
    await application.connect(t.url)
    browser = await launchBrowser()
  })
  afterEach(() => page?.context().close())
  afterAll(async () => {
    await browser?.close()
    await t?.stop()
    await application?.stop()
  })

  it('the Better Auth client adds a passkey, signs in with it without a user name, renames it and removes it', async () => {
    await open()
    await plugIn()
    await signUp('ann@example.com')
    const added = await call(`auth.passkey.addPasskey({ name: 'Laptop' })`)
    expect(added).toMatchObject({ data: { name: 'Laptop', userVerified: true, deviceType: 'singleDevice' }, error: null })
    await call('auth.signOut()')
    expect(await whoIsIn()).toBeUndefined()
    expect(await call('auth.signIn.passkey()')).toMatchObject({ data: { user: { email: 'ann@example.com' } }, error: null })
    expect(await whoIsIn()).toBe('ann@example.com')
    const id = added.data?.['id']
    const renamed = await call(`auth.passkey.updatePasskey(${JSON.stringify({ id, name: 'Desk' })})`)
    expect(renamed).toMatchObject({ data: { passkey: { name: 'Desk' } } })
    expect(await call('auth.passkey.listUserPasskeys()')).toMatchObject({ data: [{ id, name: 'Desk' }] })
    expect(await call(`auth.passkey.deletePasskey(${JSON.stringify({ id })})`)).toEqual({ data: { status: true }, error: null })
    await call('auth.signOut()')
    // The browser still has the passkey.
    expect(await call('auth.signIn.passkey()')).toMatchObject({ data: null, error: { status: 401, code: 'PASSKEY_NOT_FOUND' } })
  })

  it('the Better Auth client offers passkeys in the autofill of a field', async () => {
    await open()
    await plugIn()
    await signUp('bea@example.com')
    await call('auth.passkey.addPasskey({})')
    await call('auth.signOut()')
    expect(await call('auth.signIn.passkey({ autoFill: true })')).toMatchObject({ data: { user: { email: 'bea@example.com' } } })
  })

  it('the Better Auth client accepts a security key without a PIN as a second factor, but not as the only factor', async () => {
    await open()
    await plugIn({ transport: 'usb', hasUserVerification: false, hasResidentKey: false })
    await signUp('cid@example.com')
    expect(await call('auth.passkey.addPasskey({})')).toMatchObject({
      data: { userVerified: false, user: { twoFactorEnabled: true } },
    })
    await call('auth.signOut()')
    expect(await signInWithPassword('cid@example.com')).toMatchObject({
      data: { twoFactorRedirect: true, twoFactorMethods: ['security-key'] },
    })
    expect(await whoIsIn()).toBeUndefined()
    expect(await call('auth.signIn.passkey()')).toMatchObject({ data: { user: { email: 'cid@example.com' } } })
    expect(await whoIsIn()).toBe('cid@example.com')
  })

  it('two authenticators each sign in only their own user', async () => {
    await open()
    const first = await plugIn()
    await signUp('dee@example.com')
    await call('auth.passkey.addPasskey({})')
    expect(await call('auth.passkey.addPasskey({})')).toMatchObject({
      error: { code: 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' },
    })
    await unplug(first)
    const second = await plugIn({ transport: 'usb' })
    expect(await call('auth.passkey.addPasskey({})')).toMatchObject({ error: null })
    await call('auth.signOut()')
    expect(await call('auth.signIn.passkey()')).toMatchObject({ data: { user: { email: 'dee@example.com' } } })
    await call('auth.signOut()')
    await unplug(second)

    const key = await plugIn({ transport: 'usb', hasUserVerification: false, hasResidentKey: false })
    await signUp('eve@example.com')
    await call('auth.passkey.addPasskey({})')
    await call('auth.signOut()')
    await unplug(key)
    await plugIn({ transport: 'usb', hasUserVerification: false, hasResidentKey: false })
    await signUp('fay@example.com')
    await call('auth.passkey.addPasskey({})')
    await call('auth.signOut()')
    await signInWithPassword('eve@example.com')
    expect(await call('auth.signIn.passkey()')).toMatchObject({ data: null, error: { status: 400 } })
    expect(await whoIsIn()).toBeUndefined()
  })

  it('a cancelled passkey dialog signs nobody in', async () => {
    await open()
    const authenticatorId = await plugIn()
    await signUp('gus@example.com')
    await call('auth.passkey.addPasskey({})')
    await call('auth.signOut()')
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false })
    // Nobody touches the authenticator. A second request replaces the first, as when a page gives up on the first.
    await page.evaluate(`{
      const get = navigator.credentials.get.bind(navigator.credentials)
      navigator.credentials.get = (options) => {
        globalThis.isAsked = true
        return get(options)
      }
      void (globalThis.first = auth.signIn.passkey())
    }`)
    await page.waitForFunction('globalThis.isAsked')
    await page.evaluate('void auth.signIn.passkey()')
    expect(await call('globalThis.first')).toMatchObject({ data: null, error: { code: 'ERROR_CEREMONY_ABORTED' } })
    expect(await whoIsIn()).toBeUndefined()
  })

  it('the browser refuses a passkey on a page of another domain', async () => {
    await open(application.url.replace('localhost', '127.0.0.1'))
    await plugIn()
    expect(await call('auth.signIn.passkey()')).toMatchObject({ data: null, error: { code: 'ERROR_INVALID_DOMAIN' } })
  })
})
