/** What a person does by keys alone. */
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'

const hasFocus = async (control: Locator) => (await control.and(control.page().locator(':focus')).count()) > 0

/** Waits until the focus is on a control by itself: what is typed now goes there. */
export const isReached = async (control: Locator): Promise<void> => {
  await expect.poll(() => hasFocus(control)).toBe(true)
}

/** Moves the focus to a control. A dialog that has just been answered is still over it for a moment, and takes the focus. */
export const reaches = async (control: Locator): Promise<void> => {
  const place = control.first()
  await expect
    .poll(async () => {
      await place.focus()
      return hasFocus(place)
    })
    .toBe(true)
}

/** Moves the focus to a control and presses it there, once its work of before is done. */
export const pressesByKeys = async (control: Locator): Promise<void> => {
  const page = control.page()
  await reaches(control.and(page.locator(':not([aria-busy="true"])')))
  await page.keyboard.press('Enter')
}
