import { start } from './start.tsx'

// The browser's back/forward cache may show a page from before a sign-out, so a page from that cache is loaded again.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

const root = document.getElementById('root')
if (root !== null) {
  start(root).catch(() => {
    // The texts have not loaded, so only the message that the server has written into the page can be shown.
    root.className = 'noscript'
    root.textContent = root.dataset['incomplete'] ?? 'This page did not load completely. Please load it again.'
  })
}
