import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { type Application, startApplication } from '../support/better-auth-page.ts'
import { launchBrowser, openPage } from '../support/browser.ts'

interface Outcome {
  readonly data: Record<string, Record<string, unknown>> | null
  readonly error: { readonly status: number; readonly code?: string } | null
}

describe('the official Better Auth client in a browser, in an application on another origin', () => {
  let application: Application
  let stranger: Application
  let t: TestApp
  let browser: Browser

  /** Runs a call of the client in the page. */
  const call = (page: Page, expression: string): Promise<Outcome> =>
    page.evaluate(`(async () => JSON.parse(JSON.stringify(await ${expression})))()`)
  const open = async ({ url }: Application) => {
    const opened = await openPage(browser, url)
    await opened.page.waitForFunction('globalThis.auth !== undefined')
    return opened
  }
  const person = { email: 'ann@example.com', name: 'Ann Example', password }

  beforeAll(async () => {
    application = await startApplication()
    stranger = await startApplication()
    t = await testApp({ config: { trustedOrigins: [application.url] } })
    await application.connect(t.url)
    await stranger.connect(t.url)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await t?.stop()
    await application?.stop()
    await stranger?.stop()
  })

  it('the official Better Auth client signs up, keeps the session over a reload, changes the profile, signs out and signs in again', async () => {
    const { page, problems } = await open(application)
    const signedUp = await call(page, `auth.signUp.email(${JSON.stringify(person)})`)
    expect(signedUp).toMatchObject({ data: { user: { email: person.email } }, error: null })
    await page.reload()
    await page.waitForFunction('globalThis.auth !== undefined')
    expect(await call(page, 'auth.getSession()')).toMatchObject({ data: { user: { name: person.name } } })
    expect(await call(page, `auth.updateUser({ name: 'Ann Other' })`)).toEqual({ data: { status: true }, error: null })
    expect(await call(page, 'auth.listSessions()')).toMatchObject({ data: [{ current: true }] })
    expect(await call(page, 'auth.signOut()')).toEqual({ data: { success: true }, error: null })
    expect(await call(page, 'auth.getSession()')).toEqual({ data: null, error: null })
    const { email } = person
    expect(await call(page, `auth.signIn.email(${JSON.stringify({ email, password })})`)).toMatchObject({
      data: { user: { name: 'Ann Other' } },
    })
    // The session is a cookie of the server that no script of the page can read.
    expect(await page.evaluate('document.cookie')).toBe('')
    const cookies = await page.context().cookies(t.url)
    expect(cookies.find(({ name }) => name === 'gatehouse.session')).toMatchObject({ httpOnly: true, sameSite: 'Lax' })
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('a page on an untrusted origin can neither sign in nor read the session of the browser', async () => {
    const { page } = await open(application)
    await call(page, `auth.signUp.email(${JSON.stringify({ ...person, email: 'cid@example.com' })})`)
    const attempt = (expression: string) => page.evaluate(`${expression}.then(() => 'answered', () => 'kept back')`)
    const calls = [
      'auth.getSession({ fetchOptions: { throw: true } })',
      `auth.updateUser({ name: 'Ann Example', fetchOptions: { throw: true } })`,
      `auth.signIn.email({ email: 'cid@example.com', password: '${password}', fetchOptions: { throw: true } })`,
    ]
    for (const one of calls) expect(await attempt(one), one).toBe('answered')
    await page.goto(stranger.url)
    await page.waitForFunction('globalThis.auth !== undefined')
    for (const one of calls) expect(await attempt(one.replace('Ann Example', 'Mallory')), one).toBe('kept back')
    // A browser sends only plain text without a preflight. Such a call changes nothing, and its answer is withheld as well.
    const plain = `fetch('${t.url}/update-user', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"name":"Mallory"}' })`
    expect(await attempt(plain)).toBe('kept back')
    await page.goto(application.url)
    await page.waitForFunction('globalThis.auth !== undefined')
    expect(await call(page, 'auth.getSession()')).toMatchObject({ data: { user: { name: person.name } } })
    await page.context().close()
  })
})
