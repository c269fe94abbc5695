import { expect, test } from 'vitest'
import { groups } from '../../../admin-ui/console/groups.ts'
import { guesses } from '../../../admin-ui/console/guesses.ts'

test('every guessed console address leads to a screen or a form, and none hides the address of a screen', () => {
  const known = groups.flatMap(({ screens }) =>
    screens.flatMap(({ path, details = [] }) => [path, ...details.map((one) => one.path)]),
  )
  for (const [guess, path] of Object.entries(guesses)) {
    expect(known).not.toContain(guess)
    expect(['/admin', ...known]).toContain(path)
  }
})
