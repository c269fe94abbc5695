import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { person } from '../support/people.ts'

const english = await loadI18n('en', [], ['account', 'secondFactor'])
const { t } = english

let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

test('somebody downloads their data as a file in the account area', async () => {
  await app.signedIn('ann@example.com')
  const ann = await person(app, browser, english)
  await ann.signsIn('ann@example.com')
  await ann.open('/account/profile')
  await ann.sees(t('account.profile'))
  const downloading = ann.page.waitForEvent('download')
  await ann.presses(t('data.submit'))
  const file = await downloading
  expect(file.suggestedFilename()).toBe('gatehouse-data.json')
  const data = JSON.parse(readFileSync(await file.path(), 'utf8'))
  expect(data.profile).toMatchObject([{ email: 'ann@example.com' }])
  await ann.reads(t('data.done'))
  expect(ann.problems()).toEqual([])
  await ann.leaves()
})
