/** A session ends while a person works: they sign in again beside the page, with both factors, and continue where they were. */
import { expect, test } from 'vitest'
import { password } from '../../support/app.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import { consoleTexts, pictures, presses, withConsole } from '../../support/console.ts'
import { codeOf } from '../../support/totp.ts'

const { t } = consoleTexts

const house = withConsole({
  'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
  'mallory@example.com': { name: 'Mallory Mule' },
})

test('a form typed before the session ended is sent after the same person signs in again with the second factor', async () => {
  const { knex } = house.app.app.core.db
  const rowOf = (email: string) => knex('user').where({ email }).first()
  const { id } = await rowOf('mallory@example.com')
  const admin = await house.arrives('admin@example.com', `/admin/users/${id}`)
  const { page } = admin
  // A panel that is still loading when the session ends would open the question first.
  const panels = ['/organizations?', '/mails?', '/sessions?', '/events?', '/consents?', '/factors', '/logout-notices?']
  await Promise.all([...panels.map((part) => page.waitForResponse((answer) => answer.url().includes(part))), page.reload()])
  await admin.sees('Mallory Mule')
  const client = house.app.client()
  await client.post('/sign-in/email', { email: 'admin@example.com', password })
  const { totpURI } = await client.api.twoFactor.enable({ body: { password } })
  await client.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI, -1) } })
  await presses(page, t('people.edit'))
  const form = page.getByRole('dialog', { name: t('people.editOf', { name: 'Mallory Mule' }) })
  await form.getByLabel(t('people.name'), { exact: true }).fill('Mallory Typed')
  await house.app.app.core.transact(async (tx) => {
    const { id: adminId } = await tx.knex('user').where({ email: 'admin@example.com' }).first('id')
    await tx.knex('session').where({ user_id: adminId }).delete()
  })
  await page.keyboard.press('Enter')
  const question = page.getByRole('dialog', { name: t('proof.signedOut') })
  await question.waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'session-ended')
  const opens = page.waitForEvent('popup')
  await question.getByRole('button', { name: t('common.signInAgain') }).click()
  const popup = await opens
  await popup.locator('[name=email]').fill('admin@example.com')
  await popup.locator('[name=password]').fill(password)
  await popup.keyboard.press('Enter')
  const closed = popup.waitForEvent('close')
  await popup.locator('[name=code]').fill(codeOf(totpURI))
  await question.waitFor({ state: 'detached' })
  await closed
  await admin.sees('Mallory Typed')
  expect((await rowOf('mallory@example.com')).name).toBe('Mallory Typed')
  await admin.leaves()
})
