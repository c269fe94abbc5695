import { start } from './start.tsx'

// The browser's back/forward cache may show a page of a person who has signed out meanwhile.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

const root = document.getElementById('root')
if (root !== null) {
  start(root).catch(() => {
    // The texts have not arrived, so the message can only come from the server's page.
    root.className = 'noscript'
    root.textContent = root.dataset['incomplete'] ?? 'This page did not load completely. Please load it again.'
  })
}
