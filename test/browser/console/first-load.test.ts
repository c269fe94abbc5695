import { expect, test } from 'vitest'
import { withConsole } from '../../support/console.ts'

const house = withConsole({}, { config: { oidc: { rsaModulusLength: 2048 } } })

test('the console loads at most 250 kB of gzip, including its first list', async () => {
  const admin = await house.app.signedIn('admin@example.com')
  await house.app.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
  const context = await house.browser.newContext({ extraHTTPHeaders: { 'Accept-Encoding': 'gzip' } })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: house.app.url })))
  const page = await context.newPage()
  const line = await context.newCDPSession(page)
  await line.send('Network.enable')
  let bytes = 0
  line.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(`${house.app.url}/admin/users`)
  await page.getByRole('link', { name: 'Ann Example' }).first().waitFor()
  await page.waitForLoadState('networkidle')
  console.info(`/admin/users: ${bytes} bytes`)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(250_000)
  await context.close()
})
