/** The pages in the browser engines that are installed on this machine. Missing ones are skipped by name. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import { type EnginePage, engines, missing, openEngine } from '../support/webdriver.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
})
afterAll(() => app?.stop())

const heading = (text: string) =>
  `return [...document.querySelectorAll('h1')].some((one) => one.textContent === ${JSON.stringify(text)})`

for (const engine of engines) {
  const absent = missing(engine)
  const name = absent.length === 0 ? engine.name : `${engine.name}, without ${absent.join(' and ')}`
  describe.skipIf(absent.length > 0)(name, () => {
    let page: EnginePage
    const email = `${engine.name.toLowerCase()}@example.com`
    beforeAll(async () => {
      page = await openEngine(engine)
    })
    afterAll(() => page?.close())

    test('a person signs up, signs out and signs in again', async () => {
      await page.open(`${app.url}/sign-up`)
      await page.until(
        'return document.querySelector(".early, .skeleton") === null && document.querySelector("[name=name]") !== null',
      )
      await page.type('[name=name]', 'Ann Example')
      await page.type('[name=email]', email)
      await page.type('[name=password]', password)
      await page.click('button[type=submit]')
      await page.until(heading('Your account'))
      await page.open(`${app.url}/oauth2/end-session`)
      await page.until(heading('Sign out?'))
      await page.click('.actions .button-primary')
      await page.until(heading('You are signed out'))
      await page.open(`${app.url}/sign-in`)
      await page.until(
        'return document.querySelector(".early, .skeleton") === null && document.querySelector("[name=email]") !== null',
      )
      await page.type('[name=email]', email)
      await page.type('[name=password]', password)
      await page.click('button[type=submit]')
      await page.until(heading('Your account'))
    })

    test('the button for verifying an email address has the normal height of a button', async () => {
      await page.until('return document.querySelector(".verify-address .button") !== null')
      const height = (selector: string) =>
        page.read<number>(`return document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().height`)
      expect(await height('.verify-address .button')).toBeLessThan(60)
      expect(await height('.verify-address')).toBeLessThan(120)
    })

    test('the console lists people, and marks the row selected by keyboard', async () => {
      await app.app.core.db.knex('user').where({ email }).update({ role: 'admin' })
      await page.open(`${app.url}/admin/users`)
      await page.until('return document.querySelector("tbody tr .who") !== null')
      await page.read('document.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }))')
      await page.until('return document.querySelector("tr[data-active] > :first-child") !== null')
      const mark = 'return getComputedStyle(document.querySelector("tr[data-active] > :first-child")).boxShadow'
      expect(await page.read<string>(mark)).toContain('inset')
      expect(await page.read<string>('return getComputedStyle(document.querySelector(".filter select")).appearance')).toBe('none')
    })
  })
}
