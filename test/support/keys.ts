/** Actions of a person who uses only the keyboard. */
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'

const hasFocus = async (control: Locator) => (await control.and(control.page().locator(':focus')).count()) > 0

/** Waits until the focus moves to a control by itself. Typed text then goes there. */
export const isReached = async (control: Locator): Promise<void> => {
  await expect.poll(() => hasFocus(control)).toBe(true)
}

/** Moves the focus to a control. It tries again while a dialog that is just closing takes the focus back. */
export const reaches = async (control: Locator): Promise<void> => {
  const place = control.first()
  await expect
    .poll(async () => {
      await place.focus()
      return hasFocus(place)
    })
    .toBe(true)
}

/** Moves the focus to a control when its earlier work is done, and presses it. */
export const pressesByKeys = async (control: Locator): Promise<void> => {
  const page = control.page()
  await reaches(control.and(page.locator(':not([aria-busy="true"])')))
  await page.keyboard.press('Enter')
}
