import type { State, Step } from './state.ts'

/** Longest wait for an element, in milliseconds. It is longer than a page needs, and shorter than an author would wait. */
const patienceMs = 8_000

/** Time during which nothing may be loading, in milliseconds. */
const stillMs = 60

const until = async <T>(find: () => T | null | undefined, what: string): Promise<T> => {
  const end = performance.now() + patienceMs
  for (;;) {
    const found = find()
    if (found !== null && found !== undefined) return found
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Types a text into an input. The page gets the same event as from a keyboard. */
const type = (input: HTMLInputElement, text: string) => {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

const performStep = async (step: Step) => {
  if ('fill' in step) {
    type(await until(() => document.querySelector<HTMLInputElement>(step.fill), step.fill), step.with)
    return
  }
  const at = step.at ?? 0
  const element = await until(() => document.querySelectorAll<HTMLElement>(step.press)[at], step.press)
  element.click()
}

/** Performs one action after another. */
export const performSteps = async (steps: readonly Step[]): Promise<void> => {
  for (const step of steps) {
    await performStep(step)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until the console has its heading, and nothing is loading. */
export const settled = async (): Promise<void> => {
  const isStill = () => document.querySelector('main h1') !== null && document.querySelector('[aria-busy=true]') === null
  let since: number | undefined
  await until(() => {
    if (!isStill()) since = undefined
    else since ??= performance.now()
    // Requires a pause without requests, because one answer may lead to the next request.
    return since !== undefined && performance.now() - since > stillMs ? true : undefined
  }, 'what is on its way')
}

/** Waits for the page of a state, and performs the person's actions. */
export const perform = async ({ steps = [], isWaiting }: State): Promise<void> => {
  if (isWaiting) {
    await until(() => document.querySelector('[aria-busy]'), 'the shape of the page')
    return
  }
  await until(() => document.querySelector('main h1:not(.visually-hidden)'), 'the title')
  await performSteps(steps)
}
