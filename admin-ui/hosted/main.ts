import { ApiError } from '../../src/http/client.ts'
import { createHostedApi } from '../shared/api.ts'
import { watchTyped } from './early.ts'
import { reportScriptErrors } from './script-errors.ts'
import type { start } from './start.tsx'
import { codeOfPage, helpPage } from './whole-page.ts'

/** Draws the page. The code for it is a file of its own: a page that works without the code loads it when somebody does something. */
const draw = async (...options: Parameters<typeof start>): Promise<void> => (await import('./start.tsx')).start(...options)

// A page that comes back from the browser's history is as it was left: perhaps with a form being sent, or with somebody signed out.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

const root = document.getElementById('root')
if (root !== null) {
  reportScriptErrors(createHostedApi())
  const code = codeOfPage()
  const typed = watchTyped(root, code !== undefined)
  if (code === undefined)
    draw(root, typed, false).catch((error: unknown) => {
      if (!(error instanceof ApiError)) reportError(error)
      // Not even the texts have arrived: all that can be said is what the server wrote.
      root.className = 'noscript'
      root.textContent = root.dataset['incomplete'] ?? 'This page did not load completely. Please load it again.'
    })
  else helpPage(root, code, typed, () => draw(root, typed, true))
}
