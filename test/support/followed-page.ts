/**
 * Pages of the console that follow the event stream. A page records how far its stream is and what it has requested, and the test moves the
 * clock of the page. So a test waits for what happens, and not for a timer.
 */
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestApp } from './app.ts'

interface Followed {
  /** The position of the last event that the stream has delivered. 0 if the page has received nothing yet. */
  readonly position: number
  /** How many streams the page has requested. */
  readonly streams: number
  /** How many other calls have begun, and how many of them have been answered. */
  readonly begun: number
  readonly answered: number
}

const recorder = `(() => {
  const ask = window.fetch
  const followed = { position: 0, streams: 0, begun: 0, answered: 0 }
  window.followed = followed
  const notePositions = () => {
    let rest = ''
    const transform = (text, controller) => {
      const messages = (rest + text).split('\\n\\n')
      rest = messages.pop()
      for (const message of messages) followed.position = Number(/^id: (\\d+)$/m.exec(message)?.[1] ?? followed.position)
      controller.enqueue(text)
    }
    return new TransformStream({ transform })
  }
  const followStream = (body) => body.pipeThrough(new TextDecoderStream()).pipeThrough(notePositions()).pipeThrough(new TextEncoderStream())
  window.fetch = async (input, init) => {
    if (new URL(input, location.origin).pathname === '/admin/events/stream') {
      followed.streams += 1
      const answer = await ask(input, init)
      return answer.ok && answer.body !== null ? new Response(followStream(answer.body), answer) : answer
    }
    followed.begun += 1
    try {
      return await ask(input, init)
    } finally {
      followed.answered += 1
    }
  }
})()`

/** Prepares a browser whose pages can be followed. */
export const canBeFollowed = async (context: BrowserContext): Promise<void> => {
  await context.clock.install()
  await context.addInitScript(recorder)
}

const read = (page: Page): Promise<Followed> => page.evaluate('followed')

/** Moves the clock of the page until something is true. A timer of the page then ends at once. */
export const passesTimeUntil = async (page: Page, isTrue: () => Promise<boolean>, seconds = 2): Promise<void> => {
  await expect
    .poll(async () => {
      if (await isTrue()) return true
      await page.clock.fastForward(seconds * 1_000)
      return false
    })
    .toBe(true)
}

/** Waits until the page receives events. */
export const listens = (page: Page): Promise<void> => passesTimeUntil(page, async () => (await read(page)).position > 0)

/** How many streams the page has requested. */
export const streamsOf = async (page: Page): Promise<number> => (await read(page)).streams

/** Tasks that are due, events that are not sealed, and readers that are behind, after it has woken those who do this work. */
const underWay = async (app: TestApp): Promise<{ readonly head: number; readonly left: number }> => {
  const { knex } = app.app.core.db
  const unsealed = await knex('event').whereNull('position').select('id')
  const tasks = await knex('task').whereIn('status', ['pending', 'running']).where('due_at', '<=', new Date()).select('id')
  const head = Number((await knex('event').max('position as position').first())?.['position'] ?? 0)
  const behind: string[] = await knex('event_reader').where('position', '<', head).pluck('name')
  if (unsealed.length + behind.length > 0) await app.wake('events.seal', ...behind.map((name) => `events.read.${name}`))
  return { head, left: unsealed.length + tasks.length + behind.length }
}

/** Waits until the pages have received all events, and have loaded what they reload because of them. */
export const areQuiet = async (app: TestApp, ...pages: readonly Page[]): Promise<void> => {
  let before = ''
  let times = 0
  await expect
    .poll(async () => {
      const { head, left } = await underWay(app)
      const states = await Promise.all(pages.map(read))
      const now = JSON.stringify([head, states])
      const isDone = left === 0 && states.every(({ position, begun, answered }) => position >= head && begun === answered)
      times = isDone && now === before ? times + 1 : 0
      before = now
      // A page reloads at most once a second.
      await Promise.all(pages.map((page) => page.clock.fastForward(1_000)))
      return times
    })
    .toBeGreaterThan(2)
}
