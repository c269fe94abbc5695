import { ApiError } from '../../src/http/client.ts'
import { createHostedApi } from '../shared/api.ts'
import { watchTyped } from './early.ts'
import { reportScriptErrors } from './script-errors.ts'
import type { start } from './start.tsx'
import { codeOfPage, helpPage } from './whole-page.ts'

/**
 * Draws the page with its script. This code is in a file of its own, because pages that work without it load it only when the person does
 * something.
 */
const draw = async (...options: Parameters<typeof start>): Promise<void> => (await import('./start.tsx')).start(...options)

// The browser's back/forward cache shows a page as the person left it. Its form might still show that it is being sent, or the person may
// have signed out, so the page is loaded again.
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
      // The texts have not loaded, so only the message that the server has written into the page can be shown.
      root.className = 'noscript'
      root.textContent = root.dataset['incomplete'] ?? 'This page did not load completely. Please load it again.'
    })
  else helpPage(root, code, typed, () => draw(root, typed, true))
}
