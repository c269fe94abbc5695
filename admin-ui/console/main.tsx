import { start } from './start.tsx'

// A page from the browser's history may show a person who has signed out.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

const root = document.getElementById('root')
if (root !== null) {
  start(root).catch(() => {
    // The texts have not arrived, so only those in the server's page are available.
    root.className = 'noscript'
    root.textContent = root.dataset['incomplete'] ?? 'This page did not load completely. Please load it again.'
  })
}
