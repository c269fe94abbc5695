import { start } from './start.tsx'

// A page that comes back from the browser's history may show somebody who has signed out.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

const root = document.getElementById('root')
if (root !== null) {
  start(root).catch(() => {
    // Not even the texts have arrived: all that can be said is what the server wrote.
    root.className = 'noscript'
    root.textContent = root.dataset['incomplete'] ?? 'This page did not load completely. Please load it again.'
  })
}
