import { expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { password } from '../support/app.ts'
import { withBrowser } from '../support/people.ts'

const site = withBrowser()

test('an internationalized email address is shown with its own letters and accepted in either spelling', async () => {
  const i18n = await loadI18n('en', [], ['account'])
  const { t } = i18n
  const jorg = await site.person(i18n, '/sign-up')
  await jorg.sees(t('signUp.title'))
  await jorg.fills({ [t('field.name')]: 'Jörg', [t('field.email')]: 'jorg@exämple.de', [t('field.password')]: password })
  await jorg.presses(t('signUp.submit'))
  await jorg.page.waitForURL('**/account')
  await jorg.reads('jorg@exämple.de')
  expect(await jorg.page.content()).not.toContain('xn--')

  await jorg.open('/account/email')
  for (const same of ['jorg@exämple.de', 'Jorg@xn--exmple-cua.de']) {
    await jorg.fills({ [t('field.newEmail')]: same })
    await jorg.presses(t('email.change'))
    await jorg.reads(t('problem.emailSame'))
  }

  await jorg.page.request.post(`${site.app.url}/sign-out`, { data: {}, headers: { origin: site.app.url } })
  await jorg.open('/sign-in')
  await jorg.fills({ [t('field.email')]: 'jorg@exämple.de', [t('field.password')]: password })
  await jorg.presses(t('signIn.submit'))
  await jorg.page.waitForURL('**/account')

  await jorg.open('/account/delete')
  await jorg.reads('jorg@exämple.de')
})
