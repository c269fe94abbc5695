import { ApiError } from '../../src/http/client.ts'
import { createHostedApi } from '../shared/api.ts'
import { watchTyped } from './early.ts'
import { reportScriptErrors } from './script-errors.ts'
import type { start } from './start.tsx'
import { codeOfPage, helpPage } from './whole-page.ts'

/** Draws the page. Its code is a separate file, because a page that works without the code loads it only at the first action. */
const draw = async (...options: Parameters<typeof start>): Promise<void> => (await import('./start.tsx')).start(...options)

// The browser's back/forward cache shows a page as it was left. Its form may still be sending, or the person may have signed out.
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
      // The texts have not arrived, so the message can only come from the server's page.
      root.className = 'noscript'
      root.textContent = root.dataset['incomplete'] ?? 'This page did not load completely. Please load it again.'
    })
  else helpPage(root, code, typed, () => draw(root, typed, true))
}
