import { mkdirSync } from 'node:fs'
import { test } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { serveConsoleStates } from '../../support/states.ts'

const filter = new RegExp(process.env['SHOT_FILTER'] ?? '.')
const dir = process.env['SHOT_DIR'] ?? '/tmp/st/shots'
const widths = (process.env['SHOT_WIDTHS'] ?? '390,1024,1600').split(',').map(Number)
const schemes = (process.env['SHOT_SCHEMES'] ?? 'light').split(',') as ('light' | 'dark')[]
test('shots', async () => {
  mkdirSync(dir, { recursive: true })
  const served = await serveConsoleStates()
  const browser = await launchBrowser()
  for (const colorScheme of schemes)
    for (const width of widths) {
      const page = await browser.newPage({
        viewport: { width, height: width < 500 ? 844 : 900 },
        colorScheme,
        reducedMotion: 'reduce',
      })
      page.on('console', (m) => m.type() === 'error' && console.log(m.text()))
      page.on('pageerror', (e) => console.log('PAGEERROR', e.message))
      const states = await served.open(page, { language: process.env['SHOT_LANG'] ?? 'en' })
      for (const { id } of states) {
        if (!filter.test(id)) continue
        const r = await page.evaluate(`window.consoleStates.show(${JSON.stringify(id)}).then(() => '', (e) => e.message)`)
        if (r) console.log(id, r)
        await page.waitForTimeout(60)
        await page.screenshot({
          path: `${dir}/${id.replaceAll('/', '_')}-${width}-${colorScheme}.png`,
          fullPage: process.env['SHOT_FULL'] === '1',
          animations: 'disabled',
        })
      }
      await page.close()
    }
  await browser.close()
  await served.stop()
}, 600_000)
