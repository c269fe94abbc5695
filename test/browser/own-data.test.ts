import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { withBrowser } from '../support/people.ts'

const english = await loadI18n('en', [], ['account', 'secondFactor'])
const { t } = english

const site = withBrowser()

test('a person downloads their data as a file in the account area', async () => {
  await site.app.signedIn('ann@example.com')
  const ann = await site.person(english, '/account/profile', 'ann@example.com')
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
