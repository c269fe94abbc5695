import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { launchBrowser } from '../support/browser.ts'
import { person } from '../support/people.ts'

const fields = {
  department: { type: 'string', values: ['sales', 'support'], required: true, label: { de: 'Abteilung', en: 'Department' } },
  nickname: { type: 'string', maxLength: 12, label: 'Nickname' },
  desks: { type: 'number', default: 1, label: 'Desks' },
  born: { type: 'date', label: 'Born' },
  beta: { type: 'boolean', label: 'Try new things' },
  plan: { type: 'string', default: 'free', writableBy: 'operator', label: 'Plan' },
}

let app: TestApp
let browser: Browser
beforeAll(async () => {
  app = await testApp({ config: { users: { fields } } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

test('the sign-up page asks for the configured fields with their labels, and the profile page changes them', async () => {
  const i18n = await loadI18n('de', [], ['account'])
  const { t } = i18n
  const ann = await person(app, browser, i18n, '/sign-up')
  const field = (label: string) => ann.page.getByLabel(label, { exact: true })
  const shownAs = async (label: string) => field(label).inputValue()
  const kept = async () => {
    const answer = await ann.page.request.get(`${app.url}/get-session`)
    return (await answer.json()).user
  }
  await ann.sees(t('signUp.title'))
  expect(await field('Plan').count()).toBe(0)
  expect(await shownAs('Desks')).toBe('1')
  await ann.fills({ [t('field.name')]: 'Ann', [t('field.email')]: 'ann@example.com', [t('field.password')]: password })
  await ann.fills({ Nickname: 'annie and more' })
  expect(await shownAs('Nickname')).toBe('annie and mo')
  // An incomplete date.
  await field('Born').press('1')
  await ann.presses(t('signUp.submit'))
  await ann.reads(t('problem.valueMissing'))
  expect(await field('Abteilung').evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true)
  await field('Abteilung').press('s')
  await field('Try new things').press('Space')
  await ann.presses(t('signUp.submit'))
  await ann.reads(t('problem.fieldInvalid'))
  await ann.sees(t('signUp.title'))
  await ann.fills({ Nickname: 'annie', Born: '1990-05-17' })
  await ann.presses(t('signUp.submit'))
  await ann.page.waitForURL('**/account')
  const born = '1990-05-17T00:00:00.000Z'
  expect(await kept()).toMatchObject({ department: 'sales', nickname: 'annie', desks: 1, born, beta: true, plan: 'free' })

  await ann.open('/account/profile')
  await ann.sees(t('account.profile'))
  expect([await shownAs('Abteilung'), await shownAs('Born'), await shownAs('Nickname')]).toEqual(['sales', '1990-05-17', 'annie'])
  await field('Abteilung').selectOption('support')
  await ann.fills({ Desks: '2.5', Nickname: '' })
  await field('Try new things').uncheck()
  await ann.presses(t('common.save'))
  await ann.reads(t('common.saved'))
  expect(await kept()).toMatchObject({ department: 'support', nickname: null, desks: 2.5, born, beta: false })
  expect(ann.problems()).toEqual([])
  await ann.leaves()
})
