/**
 * The console by role: an administrator sees everything, an auditor and support see their part, and an owner of an organization sees the
 * way to it.
 */
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { type InstancePermission, instanceRoles } from '../../../src/access/permissions.ts'
import { consoleTexts, pictures, withConsole } from '../../support/console.ts'

const { t, list } = consoleTexts

const house = withConsole(
  {
    'admin@example.com': { name: 'Grace Hopper', role: 'admin' },
    'auditor@example.com': { name: 'Alan Auditor', role: 'auditor' },
    'support@example.com': { name: 'Sam Support', role: 'support' },
    'mallory@example.com': { name: 'Mallory Mule' },
  },
  { config: { oidc: { rsaModulusLength: 2048 } } },
)
beforeAll(async () => {
  const owner = await house.app.signedIn('owner@example.com', 'Olga Owner')
  await owner.post('/organization/create', { name: 'Analytical Engines', slug: 'engines' })
})

const permissionsOf = (role: string): readonly InstancePermission[] => instanceRoles[role] ?? []
interface Listed {
  readonly path: string
  readonly permission: InstancePermission
}
// The type is declared here, so that the tests need no types of the browser.
const groupsFile = fileURLToPath(new URL('../../../admin-ui/console/groups.ts', import.meta.url))
const { groups } = (await import(groupsFile)) as { readonly groups: readonly { readonly screens: readonly Listed[] }[] }
const screens = groups.flatMap((group) => group.screens)
const rolesWith = (permission: InstancePermission) =>
  Object.keys(instanceRoles).filter((role) => permissionsOf(role).includes(permission))

/** Addresses of the links in their order. */
const addressesOf = (page: Page, selector: string): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('.side-fixed nav ${selector}')].map((link) => link.getAttribute('href'))`)

/** Addresses in the navigation: the groups, and the screens of each. */
const offered = async (page: Page): Promise<readonly string[]> => {
  const paths = new Set<string>()
  for (const path of await addressesOf(page, '.side-group')) {
    const link = page.locator(`.side-fixed nav .side-group[href="${path}"]`)
    await link.click()
    await link.and(page.locator('[aria-current=true]')).waitFor()
    for (const one of [path, ...(await addressesOf(page, '.side-screen'))]) paths.add(one)
  }
  return [...paths].toSorted()
}

for (const role of ['auditor', 'support'] as const)
  test(`the role ${role} is offered only the screens it may read, and every other console address says who may read the screen`, async () => {
    const someone = await house.arrives(`${role}@example.com`, '/admin/overview')
    const { page } = someone
    await someone.sees(t('console.screen.overview'))
    const own = screens.filter(({ permission }) => permissionsOf(role).includes(permission)).map(({ path }) => path)
    expect(await offered(page)).toEqual(own.toSorted())
    for (const path of own) {
      const status = await page.evaluate(
        `fetch('${path}', { headers: { accept: 'application/json' } }).then((response) => response.status)`,
      )
      expect(status, path).not.toBe(403)
    }
    for (const { path, permission } of screens.filter((screen) => !own.includes(screen.path))) {
      await someone.open(path)
      await someone.reads(t('console.denied.text', { permission, roles: list(rolesWith(permission)) }))
      // The server applies the same permissions, no matter what the page shows.
      const status = await page.evaluate(
        `fetch(location.pathname, { headers: { accept: 'application/json' } }).then((response) => response.status)`,
      )
      expect([403, 404], path).toContain(status)
    }
    expect(someone.problems()).toEqual([])
    await someone.leaves()
  })

/** The disabled buttons of a screen, with their explanations. */
const refused = (page: Page): Promise<Readonly<Record<string, string>>> =>
  page.evaluate(`Object.fromEntries([...document.querySelectorAll('.page-actions .button[aria-disabled=true]')].map((button) => {
    const [name, ...why] = button.textContent.split('. ')
    return [name, why.join('. ')]
  }))`)

test('an auditor and support see fields they may not change as disabled, with the permission and the roles that have it', async () => {
  const { id } = await house.app.app.core.db.knex('user').where({ email: 'mallory@example.com' }).first('id')
  const actions = {
    [t('people.impersonate')]: 'users:impersonate',
    [t('people.setRole')]: 'users:set-role',
    [t('people.ban')]: 'users:ban',
    [t('people.delete')]: 'users:delete',
  } as const
  for (const role of ['auditor', 'support']) {
    const someone = await house.arrives(`${role}@example.com`, `/admin/users/${id}`)
    await someone.sees('Mallory Mule')
    const found = await refused(someone.page)
    for (const [name, permission] of Object.entries(actions)) {
      const reason = t('console.denied.action', { permission, roles: list(rolesWith(permission)) })
      if (permissionsOf(role).includes(permission)) expect(found[name], name).toBeUndefined()
      else expect(found[name], name).toBe(reason)
    }
    await pictures(someone.page, `user-${role}`)
    await someone.leaves()
  }
})

test('an organization owner without an instance role is led to the organization from every console address', async () => {
  const owner = await house.arrives('owner@example.com', '/admin/organizations')
  const { page } = owner
  await owner.sees(t('console.noAccess.title'))
  await owner.reads(t('console.noAccess.organizations'))
  expect(await page.getByRole('navigation').count()).toBe(0)
  await pictures(page, 'no-access-owner')
  for (const { path } of screens.filter((_, index) => index % 12 === 0)) {
    await owner.open(path)
    await owner.sees(t('console.noAccess.title'))
    expect(await page.getByRole('main').getByRole('button').count(), path).toBe(1)
  }
  const refusals = await page.evaluate<readonly number[]>(
    `Promise.all(${JSON.stringify(screens.map(({ path }) => path))}.map((path) => fetch(path, { headers: { accept: 'application/json' } }).then((response) => response.status)))`,
  )
  expect(refusals.filter((status) => status < 400)).toEqual([])
  await page.getByRole('link', { name: /Analytical Engines/ }).click()
  await page.waitForURL('**/account/organizations/engines')
  await owner.sees('Analytical Engines')
  expect(owner.problems()).toEqual([])
  await owner.leaves()
})

test('a person without permissions is told on the console page who can help, and finds the link to their own account', async () => {
  const member = await house.arrives('mallory@example.com', '/admin/users')
  await member.sees(t('console.noAccess.title'))
  await member.reads(list(Object.keys(instanceRoles).filter((role) => permissionsOf(role).length > 0)))
  expect(await member.page.getByText(t('console.noAccess.organizations')).count()).toBe(0)
  await member.follows(t('console.noAccess.account'))
  await member.page.waitForURL('**/account')
  expect(member.problems()).toEqual([])
  await member.leaves()
})
