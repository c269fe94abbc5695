/**
 * `node bench/console.ts` measures the console with many users and events in a real Chromium. It measures the time from setting a filter
 * until its rows are drawn (goal: 200 ms). On a processor slowed down to a quarter it measures the time until the first screen shows its
 * charts and responds (goal: 1 s).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../test/support/browser.ts'
import { databases, type Server, startAmong } from './targets/many-rows.ts'
import { password } from './targets/targets.ts'

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '15' },
    database: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
  },
})
const rounds = Number(values.rounds)
const slowDown = 4

const middle = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

const signIn = async (browser: Browser, { target, email }: Server): Promise<Page> => {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })).newPage()
  await page.goto(`${target.origin}/sign-in?callbackURL=%2Fadmin%2Foverview`)
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(password)
  await page.locator('[name=password]').press('Enter')
  await page.locator('.chart').first().waitFor()
  return page
}

/** Returns the time from the start of the navigation until the charts are drawn, and until the last long task of the page has ended. */
const openOverview = async (page: Page, url: string) => {
  await page.goto(url, { waitUntil: 'commit' })
  const drawn = await page.evaluate<number>(
    "new Promise((done) => { const look = () => document.querySelector('.chart') ? done(performance.now()) : requestAnimationFrame(look); look() })",
  )
  const answers = await page.evaluate<number>(
    "new Promise((done) => { new PerformanceObserver((list) => { last = Math.max(last, ...list.getEntries().map(({ startTime, duration }) => startTime + duration)) }).observe({ type: 'longtask', buffered: true }); let last = 0; setTimeout(() => done(Math.max(last, performance.now() - 1500)), 1500) })",
  )
  return { drawn, answers: Math.max(drawn, answers) }
}

/**
 * Returns the time from a change of the address, as a filter makes it, until the rows are drawn. The page is loaded anew before, so it
 * has no rows in memory.
 */
const filter = async (page: Page, url: string, query: string): Promise<number> => {
  await page.goto(url)
  await page.locator('table[aria-busy=false]').waitFor()
  return page.evaluate<number>(`new Promise((done) => {
    const began = performance.now()
    let isAsked = false
    const look = () => {
      const isBusy = document.querySelector('table')?.getAttribute('aria-busy') === 'true'
      if (isAsked && !isBusy) done(performance.now() - began)
      else requestAnimationFrame(look)
      isAsked ||= isBusy
    }
    history.pushState(null, '', '?${query}')
    dispatchEvent(new PopStateEvent('popstate'))
    look()
  })`)
}

const tell = (what: string, ms: number, goal: number) =>
  process.stdout.write(`| ${what} | ${ms.toFixed(0)} | ${goal} | ${ms <= goal ? 'met' : 'NOT MET'} |\n`)

const measure = async (browser: Browser, server: Server) => {
  const page = await signIn(browser, server)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowDown })
  const opened: Awaited<ReturnType<typeof openOverview>>[] = []
  for (let round = 0; round < rounds; round += 1) opened.push(await openOverview(page, `${server.target.origin}/admin/overview`))
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  tell('overview, charts drawn', middle(opened.map(({ drawn }) => drawn)), 1000)
  tell('overview, answers', middle(opened.map(({ answers }) => answers)), 1000)
  for (const query of ['search=m77@', 'search=member', 'role=support', 'banned=true', 'verified=false', 'sort=name&order=asc']) {
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      // Without this pause the requests would come faster than from people, and reach the server's limit.
      await pause(1_000)
      times.push(await filter(page, `${server.target.origin}/admin/users`, query))
    }
    tell(`users, \`${query}\``, middle(times), 200)
  }
  await page.context().close()
}

const size = { users: Number(values.users), events: Number(values.events) }
const browser = await launchBrowser()
for (const name of values.database) {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-console-'))
  const { urlOf, stop } = await databases(name, dir)
  const server = await startAmong(await urlOf('console'), join(dir, 'console'), size)
  try {
    process.stdout.write(
      `\n## ${name}: ${size.users} users, ${size.events} events\n\n| what | ms (median of ${rounds}) | goal | |\n|---|---:|---:|---|\n`,
    )
    await measure(browser, server)
  } finally {
    await server.target.stop()
    await stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
await browser.close()
process.exit(0)
