/**
 * The billing screens: owners of customers, received deliveries and their results, for administrators who may change them and for others
 * who only look.
 */
import { beforeAll, expect, test } from 'vitest'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { selling, tell } from '../../http/billing/purchases.ts'
import { password } from '../../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import { accessibilityFaults } from '../../support/browser.ts'
import type { Client } from '../../support/client.ts'
import { peeks, pictures, presses, withConsole } from '../../support/console.ts'
import { pressesByKeys, reaches } from '../../support/keys.ts'
import type { Person } from '../../support/people.ts'

const { t } = await loadI18n('en', [], ['console', 'consoleBilling', 'consoleLists'])

/** A colleague of the administrator, by the API. */
let other: Client
const ids: Record<string, string> = {}
const house = withConsole(
  {
    'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
    'auditor@example.com': { name: 'Aude Auditor', role: 'auditor' },
    'support@example.com': { name: 'Sam Support', role: 'support' },
    'ann@example.com': { name: 'Ann Buyer' },
    'bob@example.com': { name: 'Bob Builder' },
  },
  selling({
    entitlements: [
      { name: 'pro', product: 'prod_pro', plan: 'Pro' },
      { name: 'storage_gb', product: ['prod_pro', 'prod_team'], value: 50 },
      { name: 'seats', product: 'prod_seats', quantity: 'seats' },
    ],
    freeSeats: 1,
  }),
)
beforeAll(async () => {
  for (const name of ['ann', 'bob']) {
    const row = await house.app.app.core.transact((tx) =>
      tx
        .knex('user')
        .where({ email: `${name}@example.com` })
        .first('id'),
    )
    ids[name] = String(row.id)
  }
  const anns = { customerId: 'cus_ann', externalId: ids['ann'] ?? '', email: 'ann@example.com', customerName: 'Ann Buyer' }
  await tell(house.app, 'subscription.active', { ...anns, productId: 'prod_pro' })
  await tell(house.app, 'order.paid', { ...anns, productId: 'prod_once' })
  await tell(house.app, 'subscription.active', {
    customerId: 'cus_open',
    customerName: 'Olga Open',
    email: 'open@example.com',
    productId: 'prod_team',
  })
  other = house.app.client()
  await other.post('/sign-in/email', { email: 'admin@example.com', password })
  const made = await other.post('/admin/organizations', {
    name: 'Acme Works',
    slug: 'acme',
    ownerId: ids['ann'],
    unverified: true,
  })
  const acmes = { customerId: 'cus_acme', customerName: 'Acme Works', externalId: String(made.json['id']) }
  await tell(house.app, 'subscription.active', { ...acmes, email: 'acme@example.com', productId: 'prod_seats', seats: 1 })
  const silent = {
    ...{ customerId: 'cus_silent', customerName: 'Sven Silent' },
    ...{ email: 'silent@example.com', productId: 'prod_pro' },
  }
  await tell(house.app, 'subscription.active', { ...silent, createdAt: new Date(Date.now() - 33 * 86_400_000).toISOString() })
  await post(house.app.url, signedDelivery('whsec_another0123456789another0123456789', eventOf('order.paid')))
})

const opens = (role: string, path: string): Promise<Person> => house.arrives(`${role}@example.com`, path)

const linkOf = async (customerId: string) => {
  const row = await house.app.app.core.transact((tx) => tx.knex('billing_link').where({ customer_id: customerId }).first())
  return { userId: row?.user_id, linkedBy: row?.linked_by }
}

test('the page of a customer shows the owner and the reason, the purchases, and the rule and delivery of each entitlement', async () => {
  const admin = await opens('admin', '/admin/billing/customers')
  const { page } = admin
  await admin.sees(t('billing.customers'))
  await page.getByRole('link', { name: 'Ann Buyer' }).first().waitFor()
  await page.getByText(t('billing.unlinked')).first().waitFor()
  const peek = await peeks(page)
  await peek.getByText(t('billing.why.nobody')).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'customers')
  await pressesByKeys(page.getByRole('link', { name: 'Ann Buyer' }))
  await admin.sees('Ann Buyer')
  await admin.reads(t('billing.why.external_id', { externalId: ids['ann'] ?? '' }))
  await admin.reads(t('billing.rule', { rule: 'billing.entitlements.0' }))
  await admin.reads('storage_gb: 50')
  await admin.reads(t('billing.because.no rule'))
  await admin.reads('customer.linked')
  await pictures(page, 'customer')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a customer without an owner is linked to a user and unlinked again, by keyboard alone', async () => {
  const admin = await opens('admin', '/admin/billing/customers/cus_open')
  const { page } = admin
  await admin.sees('Olga Open')
  await presses(page, t('billing.link'))
  await admin.reads(t('billing.linkEntitlements', { count: 1, names: 'storage_gb' }))
  await presses(page, t('billing.link'), 'dialog')
  await admin.reads(t('billing.chooseOwner'))
  await reaches(page.getByLabel(t('billing.find')))
  await page.keyboard.type('bob')
  await reaches(page.getByRole('radio', { name: /Bob Builder/ }))
  await page.keyboard.press('Space')
  await reaches(page.getByLabel(t('console.confirm.reason')))
  await page.keyboard.type('bought with another address')
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'link-customer')
  // A colleague has saved first. The typed text stays, and overwrites the colleague's only on request.
  await other.api.billingAdmin.linkCustomer({ params: { id: 'cus_open' }, body: { userId: ids['ann'] ?? '' } })
  await presses(page, t('billing.link'), 'dialog')
  await admin.reads(t('console.changed.text'))
  await admin.reads(t('billing.linkFrom', { owner: 'Ann Buyer' }))
  await presses(page, t('console.changed.overwrite'), 'dialog')
  await admin.reads(t('billing.why.operator'))
  await admin.reads('bought with another address')
  expect(await linkOf('cus_open')).toEqual({ userId: ids['bob'], linkedBy: 'operator' })
  await presses(page, t('billing.unlink'))
  await admin.reads(t('billing.linkFrom', { owner: 'Bob Builder' }))
  await presses(page, t('billing.unlink'), 'dialog')
  await admin.reads(t('billing.why.nobody'))
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('Ctrl-K finds a quarantined delivery by the id that the billing platform shows, and one press replays the delivery', async () => {
  const event = eventOf('subscription.active', { customerId: 'cus_late', email: 'late@example.com', productId: 'prod_pro' })
  const broken = signedDelivery(webhookSecret, { ...event, type: 'subscription.reborn' })
  expect((await post(house.app.url, broken)).status).toBe(400)
  const row = await house.app.app.core.transact((tx) =>
    tx.knex('billing_delivery').where({ webhook_id: broken.headers['webhook-id'] }).first('id'),
  )
  const admin = await opens('admin', '/admin/billing/deliveries?verdict=quarantined')
  const { page } = admin
  await admin.sees(t('billing.inbox'))
  await peeks(page)
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'inbox')
  // As if an update of gatehouse knew the type: the received delivery is the same, but it can now be parsed.
  await house.app.app.core.transact((tx) =>
    tx
      .knex('billing_delivery')
      .where({ id: row.id })
      .update({ body: Buffer.from(JSON.stringify(event)) }),
  )
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: t('console.palette.label') }).fill(broken.headers['webhook-id'] ?? '')
  await page.getByRole('option', { name: /subscription.reborn/ }).waitFor()
  await page.keyboard.press('Enter')
  await admin.sees('subscription.reborn')
  await admin.reads(t('billing.issues'))
  await pictures(page, 'delivery')
  await presses(page, t('billing.replay'))
  await admin.reads(t('billing.replayed.applied'))
  await admin.sees('subscription.active')
  await admin.reads(t('billing.verdict.accepted'))
  // The customer of the delivery exists now, and is found by its id.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: t('console.palette.label') }).fill('cus_late')
  await page.getByRole('option', { name: /cus_late/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin/billing/customers/cus_late')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('a refused replay says why, and a discarded delivery can be restored for ten seconds', async () => {
  const broken = eventOf('order.paid', { customerId: 'cus_ann' })
  expect(
    (await post(house.app.url, signedDelivery(webhookSecret, { ...broken, data: { ...broken.data, status: 5 } }))).status,
  ).toBe(400)
  const admin = await opens('admin', '/admin/billing/deliveries?verdict=quarantined')
  const { page } = admin
  await admin.sees(t('billing.inbox'))
  const peek = await peeks(page)
  await pressesByKeys(peek.getByRole('button', { name: t('billing.replay'), exact: true }))
  await page.getByRole('alert').filter({ hasText: 'data.status' }).waitFor()
  await pressesByKeys(peek.getByRole('button', { name: t('billing.dismiss'), exact: true }))
  await pressesByKeys(page.getByRole('button', { name: t('console.undo.action') }))
  await admin.reads(t('console.undo.undone'))
  await peek.getByText(t('billing.verdict.quarantined')).waitFor()
  // Replay of all deliveries at once: the report names the one that is refused again.
  await presses(page, t('billing.bulkMatching'))
  await presses(page, t('billing.bulkStart'), 'dialog')
  await page
    .getByRole('dialog')
    .getByText(t('lists.failed', { count: 1 }))
    .waitFor()
  await page.getByRole('dialog').getByText('data.status').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'bulk-replay')
  await admin.leaves()
})

test('the dry run of other billing rules shows who gains and who loses, is used by keyboard, and changes nothing', async () => {
  const admin = await opens('admin', '/admin/billing/rules')
  const { page } = admin
  await admin.sees(t('billing.rules'))
  const field = page.getByLabel(t('billing.otherRules'))
  expect(await field.inputValue()).toContain('product: prod_pro')
  await reaches(field)
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('entitlements:\n  - { name: pro, product: prod_team, plan: Pro, quantity: many }')
  await presses(page, t('billing.dryRun'))
  await page.getByRole('alert').getByText('billing.entitlements.0.quantity').waitFor()
  await reaches(field)
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(
    'billing:\n  secrets: [ours]\n  entitlements:\n    - { name: pro, product: prod_team, plan: Pro }',
  )
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/dry-run'))
  await presses(page, t('billing.dryRun'))
  expect((await sent).postData()).not.toContain('ours')
  const counts = page.getByRole('row', { name: /^pro/ })
  await counts.waitFor()
  await page.getByText('− pro').first().waitFor()
  await page.getByText('+ pro').first().waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'rules')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test('the screen of seats shows organizations without free seats, and the screen of drift shows a missed renewal and compares all customers', async () => {
  const admin = await opens('admin', '/admin/billing/seats')
  const { page } = admin
  await admin.sees(t('billing.seatsTitle'))
  await page.getByText(t('billing.takenOf', { taken: 1, seats: 1 })).waitFor()
  const peek = await peeks(page)
  await peek.getByText(t('billing.seatText.full')).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'seats')
  await admin.open('/admin/billing/drift')
  await admin.sees(t('billing.drift'))
  const renewal = page.getByRole('link', { name: 'Sven Silent', exact: true }).first()
  expect(await renewal.getAttribute('href')).toBe('/admin/billing/customers/cus_silent')
  await presses(page, t('billing.compare'))
  await admin.reads(t('billing.nothingDiffers'))
  expect(await accessibilityFaults(page)).toEqual([])
  await pictures(page, 'drift')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})

test("the customer of a quarantined delivery links to the customer's deliveries until the customer exists, and then to the customer's page", async () => {
  const event = eventOf('subscription.active', { customerId: 'cus_kept', customerName: 'Karl Kept', email: 'kept@example.com' })
  const broken = signedDelivery(webhookSecret, { ...event, data: { ...(event.data as object), status: 'reborn' } })
  expect((await post(house.app.url, broken)).status).toBe(400)
  const admin = await opens('admin', '/admin/billing/deliveries?verdict=quarantined')
  const { page } = admin
  const customer = page.getByRole('row').getByRole('link', { name: 'cus_kept' })
  await customer.click()
  await page.waitForURL('**/admin/billing/deliveries?customerId=cus_kept')
  await page.getByRole('row').filter({ hasText: 'cus_kept' }).waitFor()
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  // A bookmarked address of an unknown customer says what is known, and leads to the same list.
  await admin.open('/admin/billing/customers/cus_kept')
  await admin.reads(t('billing.customerUnknown'))
  expect(await accessibilityFaults(page)).toEqual([])
  await tell(house.app, 'subscription.active', { customerId: 'cus_kept', customerName: 'Karl Kept', email: 'kept@example.com' })
  await admin.open('/admin/billing/deliveries?verdict=quarantined')
  await page.getByRole('row').getByRole('link', { name: 'Karl Kept' }).click()
  await page.waitForURL('**/admin/billing/customers/cus_kept')
  await admin.sees('Karl Kept')
  expect(admin.problems()).toEqual([])
  await admin.leaves()
})
