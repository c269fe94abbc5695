/** A replay of all deliveries that was stopped. */
import type { Request } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { selling, tell } from '../../http/billing/purchases.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import { holdsUp } from '../../support/browser.ts'
import { withConsole, withUsers } from '../../support/console.ts'
import { pressesByKeys } from '../../support/keys.ts'

const { t } = await loadI18n('en', [], ['console', 'consoleBilling', 'consoleLists'])

const house = withConsole({}, selling({ entitlements: [{ name: 'pro', product: 'prod_pro', plan: 'Pro' }] }))
beforeAll(async () => {
  await withUsers(house.app, { 'admin@example.com': { name: 'Grace Hopper', role: 'admin' } })
  // The oldest delivery fails in every replay.
  const broken = eventOf('order.paid', { customerId: 'cus_broken' })
  await post(house.app.url, signedDelivery(webhookSecret, { ...broken, data: { ...broken.data, status: 5 } }))
  for (let at = 0; at < 51; at += 1)
    await tell(house.app, 'order.paid', { customerId: `cus_${at}`, email: `cus${at}@example.com`, productId: 'prod_pro' })
})

test('a stopped replay of all billing deliveries resumes with the remaining deliveries and replays none twice', async () => {
  const admin = await house.arrives('admin@example.com', '/admin/billing/deliveries?type=order.paid')
  const { page } = admin
  await admin.sees(t('billing.inbox'))
  await page.locator('table[aria-busy=false] tbody tr').first().waitFor()
  const asked: string[][] = []
  page.on('request', (request: Request) => {
    if (request.method() === 'POST' && request.url().endsWith('/replay')) asked.push(request.postDataJSON().ids)
  })
  const { isHeld, release } = await holdsUp(page, '**/replay')
  const dialog = page.getByRole('dialog')
  const press = (name: string) => pressesByKeys(dialog.getByRole('button', { name, exact: true }))
  await pressesByKeys(page.getByRole('button', { name: t('billing.bulkMatching'), exact: true }))
  await press(t('billing.bulkStart'))
  await isHeld
  await press(t('lists.stop'))
  release()
  await dialog.getByText(t('lists.failed', { count: 1 })).waitFor()
  await press(t('lists.goOn'))
  await dialog.getByRole('button', { name: t('lists.goOn'), exact: true }).waitFor({ state: 'detached' })
  await dialog.getByText(t('billing.bulkApplied', { count: 0 })).waitFor()
  expect(asked.map((ids) => ids.length)).toEqual([50, 2])
  expect(new Set(asked.flat()).size).toBe(52)
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})
