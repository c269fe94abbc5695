import { expect, test } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { accessibilityFaults } from '../support/browser.ts'
import { imageOf } from '../support/images.ts'
import { withBrowser } from '../support/people.ts'

const english = await loadI18n('en', [], ['account', 'secondFactor'])
const { t } = english

const site = withBrowser()

test('a person uploads a picture, sees the picture, reads that another file is not a picture, and removes the picture', async () => {
  await site.app.signedIn('ann@example.com')
  const ann = await site.person(english, '/account/profile', 'ann@example.com')
  await ann.sees(t('account.profile'))
  const choose = async (name: string, buffer: Buffer) => {
    const choosing = ann.page.waitForEvent('filechooser')
    await ann.presses(t('picture.choose'))
    await (await choosing).setFiles({ name, mimeType: 'image/png', buffer })
  }
  await choose('text.png', Buffer.from('this is no picture at all'))
  await ann.reads(t('serverError.INVALID_IMAGE'))
  await choose('ann.png', await imageOf({ width: 300, height: 200 }))
  await ann.reads(t('picture.saved'))
  const image = ann.page.getByRole('img', { name: t('picture.alt') })
  await image.waitFor()
  await expect
    .poll(() => image.evaluate((element: { complete: boolean; naturalWidth: number }) => element.naturalWidth))
    .toBe(512)
  expect(await accessibilityFaults(ann.page)).toEqual([])
  // Saving the rest of the profile leaves the picture.
  await ann.fills({ [t('field.name')]: 'Ann Other' })
  await ann.presses(t('common.save'))
  await ann.reads(t('common.saved'))
  await expect.poll(() => image.count()).toBe(1)
  await ann.presses(t('picture.remove'))
  await ann.reads(t('picture.removed'))
  await expect.poll(() => image.count()).toBe(0)
  expect(ann.problems()).toEqual([])
  await ann.leaves()
})
