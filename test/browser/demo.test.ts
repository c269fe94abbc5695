import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Demo, startDemo } from '../../examples/relying-party/start.ts'
import { accessibilityFaults, launchBrowser, type OpenPage, openPage } from '../support/browser.ts'
import { freePort } from '../support/port.ts'

/** The name would become bold if any page forgot to escape it. */
const person = { name: 'Ann <b>Example</b>', email: 'ann@example.com', password: 'correct horse battery' }

describe('the example application', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'))
  let demo: Demo
  let browser: Browser
  let visitor: OpenPage
  /** Gatehouse's own pages that the visitor has passed since the last attempt began. */
  let passed: string[] = []

  const heading = (name: string) => visitor.page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  const button = (name: string) => visitor.page.getByRole('button', { name, exact: true })
  const link = (name: string) => visitor.page.getByRole('link', { name, exact: true })
  const field = (label: string) => visitor.page.getByLabel(label, { exact: true })

  const expectAccessible = async () => expect(await accessibilityFaults(visitor.page), visitor.page.url()).toEqual([])
  const begin = async () => {
    await visitor.page.goto(demo.appUrl)
    passed = []
    await link('Sign in with gatehouse').click()
  }
  const enterPassword = async () => {
    await heading('Sign in')
    await field('Email').fill(person.email)
    await field('Password').fill(person.password)
    await button('Sign in').click()
  }
  const expectSignedIn = async () => {
    await heading(`Hello, ${person.name}`)
    expect(await visitor.page.getByTestId('email').textContent()).toBe(person.email)
    expect(new URL(visitor.page.url()).origin).toBe(demo.appUrl)
  }
  /** A form that is sent before the script has taken it over leads through a second page at the same path. */
  const expectPassed = (...paths: readonly string[]) => expect([...new Set(passed)]).toEqual(paths)
  const leaveApplication = async () => {
    await visitor.page.goto(demo.appUrl)
    await button('Sign out').click()
    await link('Sign in with gatehouse').waitFor()
  }

  beforeAll(async () => {
    demo = await startDemo({ port: await freePort(), appPort: await freePort(), dataDir })
    browser = await launchBrowser()
    visitor = await openPage(browser, demo.appUrl)
    visitor.page.on('framenavigated', (frame) => {
      const { origin, pathname } = new URL(frame.url())
      if (origin === demo.url) passed.push(pathname)
    })
  })

  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('a new person signs up, consents and returns to the example application, and it shows the name from a verified ID token', async () => {
    await expectAccessible()
    await begin()
    await heading('Sign in')
    await visitor.page.getByText('Example application').first().waitFor()
    await expectAccessible()
    await link('Create an account').click()
    await heading('Create your account')
    await field('Name').fill(person.name)
    await field('Email').fill(person.email)
    await field('Password').fill(person.password)
    await expectAccessible()
    await button('Create account').click()
    await heading('Allow Example application?')
    await expectAccessible()
    await button('Allow').click()
    await expectSignedIn()
    await expectAccessible()
    expectPassed('/sign-in', '/sign-up', '/consent')
  })

  it('the userinfo endpoint answers the example application with the same person as the ID token', async () => {
    await link('Ask userinfo').click()
    const answer = visitor.page.getByRole('table', { name: 'Answer of the userinfo endpoint' })
    await answer.waitFor()
    expect(await answer.textContent()).toContain(person.email)
  })

  it('the example application refreshes its tokens again and again once the person has consented', async () => {
    await link('Allow renewing').click()
    await heading('Allow Example application?')
    await expectAccessible()
    await button('Allow').click()
    for (let i = 0; i < 2; i += 1) {
      await expectSignedIn()
      await button('Renew tokens').click()
      await visitor.page.waitForURL('**/?renewed')
      await visitor.page.getByText('Tokens renewed.').waitFor()
    }
  })

  it('a second sign-in to the example application shows no page', async () => {
    await leaveApplication()
    await begin()
    await expectSignedIn()
    expect(passed).toEqual([])
  })

  it("after a sign-out from gatehouse the example application's next sign-in asks for the password but not for consent", async () => {
    await visitor.page.goto(`${demo.url}/account`)
    await heading('Your account')
    await expectAccessible()
    await button('Sign out').click()
    await heading('Sign in')
    await leaveApplication()
    await begin()
    await enterPassword()
    await expectSignedIn()
    expectPassed('/sign-in')
  })

  it('one sign-out ends the sessions at gatehouse and at the example application, and returns to the application', async () => {
    await button('Sign out of gatehouse too').click()
    await link('Sign in with gatehouse').waitFor()
    expect(new URL(visitor.page.url()).origin).toBe(demo.appUrl)
    await begin()
    await heading('Sign in')
  })

  it('the example application finds its accounts, consent and registration after a restart', async () => {
    const ports = { port: Number(new URL(demo.url).port), appPort: Number(new URL(demo.appUrl).port) }
    // The page is left first, because requests after its first paint would be refused while the example restarts.
    await visitor.page.goto('about:blank')
    await demo.stop()
    demo = await startDemo({ ...ports, dataDir })
    await begin()
    await enterPassword()
    await expectSignedIn()
    expectPassed('/sign-in')
  })

  it('no page of the example application reported an error or a policy violation', () => {
    expect(visitor.problems).toEqual([])
  })
})
