import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { accessibilityFaults, launchBrowser, openPage } from '../support/browser.ts'
import { svgOf } from '../support/images.ts'

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-brand-'))
const logoOf = (name: string, color: string) => {
  const path = join(directory, `${name}.svg`)
  const shapes = `<circle cx="20" cy="20" r="18" fill="${color}"/><rect x="48" y="10" width="110" height="20" rx="4" fill="${color}"/>`
  writeFileSync(path, svgOf(shapes, 'viewBox="0 0 160 40"'))
  return path
}
const links = { privacy: 'https://n.example/privacy', terms: 'https://n.example/terms', support: 'mailto:help@n.example' }

const brands: Readonly<Record<string, () => Record<string, unknown> | undefined>> = {
  dark: () => ({
    ...{ name: 'Northwind', color: '#0b1f4d', radius: 'sharp', background: 'plain', links, poweredBy: true },
    ...{ logo: logoOf('logo', '#0b1f4d'), logoDark: logoOf('logo-dark', '#c5d3f5') },
  }),
  pastel: () => ({ name: 'Petit Four', color: '#f7c6d9', radius: 'round', links: { privacy: links.privacy } }),
  none: () => undefined,
}

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  rmSync(directory, { recursive: true })
})

describe.for(Object.keys(brands))('the sign-in page with the brand "%s"', (kind) => {
  let t: TestApp
  beforeAll(async () => {
    const brand = brands[kind]?.()
    t = await testApp({ config: { ...(brand === undefined ? {} : { brand }), mailSignIn: { enabled: true } } })
  })
  afterAll(() => t.stop())

  test.for([
    ['dark', 390],
    ['light', 1440],
  ] as const)(
    'the sign-in page has no accessibility fault and reports no blocked file in %s at %i pixels',
    async ([colorScheme, width]) => {
      const viewport = { width, height: 900 }
      const { page, problems } = await openPage(browser, `${t.url}/sign-in`, { colorScheme, viewport, locale: 'en' })
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
      const name = t.app.brand.current().name
      await expect.poll(() => page.title()).toBe(`Sign in · ${name}`)
      if (kind === 'dark') {
        const given = t.app.brand.current()[colorScheme === 'dark' ? 'logoDark' : 'logo']
        const shown: unknown = await page.evaluate(
          "(({ alt, naturalWidth, currentSrc }) => [alt, naturalWidth > 0, currentSrc])(document.querySelector('.logo'))",
        )
        expect(shown).toEqual([name, true, given?.url])
        expect(await page.getByRole('link', { name: 'Privacy' }).getAttribute('href')).toBe(links.privacy)
      }
      expect(problems).toEqual([])
      expect(await accessibilityFaults(page)).toEqual([])
      await page.context().close()
    },
  )
})
